import { z } from 'zod';
import type { ErrorArguments } from '../../../contract/index.ts';
import { ApiError, type ApiErrorId } from '../api/api-error.ts';

export const subTypes = ['single', 'collection', 'collectionItem'] as const;
export type SubType = (typeof subTypes)[number];

/** Request format: every value is text (spec 2.2). Rules about their content are checked later. */
export const metadataSchema = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .transform((value, ctx): Record<string, string> => {
    for (const [key, text] of Object.entries(value)) {
      if (typeof text !== 'string') ctx.addIssue({ code: 'custom', path: [key], message: 'must be text' });
    }
    return value as Record<string, string>;
  });

const MAX_METADATA_BYTES = 65_536;
/** Keys that a token keeps from its creation: an edit must not send them. */
export const FIXED_KEYS = ['app', 'type', 'subType', 'subTypeData'] as const;
/** Protocol keys, which are not traits. */
const PLAIN_KEYS: ReadonlySet<string> = new Set([...FIXED_KEYS, 'name', 'description']);
/** `app` of tokens whose author names no application. */
const DEFAULT_APP = 'Planchet Sandbox';

/**
 * Validates the metadata of a new output by spec section 2.2 and adds `app` if it is missing.
 * @throws ApiError `metadata-invalid`
 */
export function checkMetadata(metadata: Record<string, string>): {
  metadata: Record<string, string>;
  subType: SubType;
} {
  for (const key of ['name', 'type', 'subType', 'subTypeData', 'description']) {
    if (!Object.hasOwn(metadata, key)) throw invalid('sandbox-api.metadata-missing', { key });
  }
  if (metadata.type !== 'ord') throw invalid('sandbox-api.metadata-type');
  const subType = subTypes.find((one) => one === metadata.subType);
  if (subType === undefined) throw invalid('sandbox-api.metadata-sub-type', { subTypes: subTypes.join(', ') });
  subTypeDataOf(metadata);
  const complete = { ...metadata, app: metadata.app || DEFAULT_APP };
  checkTexts(complete);
  return { metadata: complete, subType };
}

/**
 * The metadata of an output after an edit (wire.md 1.2): name, description (if sent) and all traits are replaced; values derived by the
 * protocol stay.
 * @throws ApiError `metadata-invalid`
 */
export function editMetadata(current: Record<string, string>, changes: Record<string, string>): Record<string, string> {
  if (!Object.hasOwn(changes, 'name')) throw invalid('sandbox-api.metadata-missing', { key: 'name' });
  for (const key of FIXED_KEYS) {
    if (Object.hasOwn(changes, key)) throw invalid('sandbox-api.metadata-fixed', { key });
  }
  const kept = [...FIXED_KEYS, 'description'].map((key) => [key, current[key] as string]);
  const edited = { ...Object.fromEntries(kept), ...changes };
  checkTexts(edited);
  return edited;
}

/**
 * The outpoint of the collection that an item names in its `subTypeData`, if any.
 * @throws ApiError `metadata-invalid` if it is not text
 */
export function collectionIdOf(metadata: Record<string, string>): string | undefined {
  const { collectionId } = subTypeDataOf(metadata);
  if (collectionId === undefined || collectionId === null || collectionId === '') return undefined;
  if (typeof collectionId === 'string') return collectionId;
  throw invalid('sandbox-api.metadata-collection-id');
}

function subTypeDataOf(metadata: Record<string, string>): Record<string, unknown> {
  let data: unknown;
  try {
    data = JSON.parse(metadata.subTypeData ?? '');
  } catch {
    throw invalid('sandbox-api.metadata-not-json');
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw invalid('sandbox-api.metadata-not-object');
  }
  return data as Record<string, unknown>;
}

function checkTexts(metadata: Record<string, string>): void {
  if (metadata.name?.trim() === '') throw invalid('sandbox-api.metadata-name-empty');
  let bytes = 0;
  for (const [key, text] of Object.entries(metadata)) {
    if (key.trim() === '' || key === '__proto__') throw invalid('sandbox-api.metadata-trait-name', { key });
    // neither can be stored unchanged: an unpaired surrogate has no UTF-8 form, and databases reject a zero
    if (!key.isWellFormed() || !text.isWellFormed() || key.includes('\0') || text.includes('\0')) {
      throw invalid('sandbox-api.metadata-character');
    }
    if (!PLAIN_KEYS.has(key) && text.trim() === '')
      throw invalid('sandbox-api.metadata-trait-empty', { key: key.slice(0, 64) });
    bytes += Buffer.byteLength(key) + Buffer.byteLength(text);
  }
  if (bytes > MAX_METADATA_BYTES) throw invalid('sandbox-api.metadata-too-large', { limit: MAX_METADATA_BYTES });
}

function invalid<Id extends ApiErrorId>(id: Id, ...args: ErrorArguments<Id>): ApiError<Id> {
  return new ApiError('metadata-invalid', id, ...args);
}
