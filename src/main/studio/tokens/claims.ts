import { z } from 'zod';
import { formatOutpoint, parseOutpoint } from '../../../chain/index.ts';
import type { TokenCard } from '../../../contract/index.ts';
import { foreignBounds, parseForeign } from '../../foreign-json.ts';

/** Keys of the protocol, which are not traits. */
const PROTOCOL_KEYS = ['name', 'app', 'type', 'subType', 'subTypeData', 'description', 'royalties', 'previewUrl'];
const MAX_READ_TRAITS = 64;

/** What a received token says of itself: keys of its own, or the traits of an item of a collection. */
export function traitsOf(metadata: Readonly<Record<string, string>>): TokenCard['traits'] {
  const { traits } = subTypeDataOf(metadata.subTypeData);
  const structured = traitListSchema.safeParse(traits).data ?? [];
  const own = Object.entries(metadata).filter(([name]) => !PROTOCOL_KEYS.includes(name));
  return [...own.map(([name, value]) => ({ name, value })), ...structured].slice(0, MAX_READ_TRAITS);
}

const traitListSchema = z.array(z.object({ name: z.string(), value: z.coerce.string() }));

/** The collection that a token says it belongs to: the claim of whoever minted it. */
export function collectionOf(subTypeData: string | undefined): string | null {
  const { collectionId } = subTypeDataOf(subTypeData);
  try {
    return typeof collectionId === 'string' ? formatOutpoint(parseOutpoint(collectionId)) : null;
  } catch {
    return null;
  }
}

/** Nothing where it is no JSON object. */
export function subTypeDataOf(text: string | undefined): Readonly<Record<string, unknown>> {
  const parsed = parseForeign(text ?? '{}', foreignBounds.tokenFields);
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
}

/** Who gets which part of later sales, as a token says; nothing where it cannot be read. @param text the value of `royalties` */
export function royaltiesOf(text: string | undefined): { destination: string; percentage: number }[] {
  return royaltyListSchema.safeParse(parseForeign(text ?? '[]', foreignBounds.tokenFields)).data ?? [];
}

const royaltyListSchema = z.array(
  z.object({ destination: z.string().min(1).max(256), percentage: z.coerce.number().min(0).max(1) }),
);
