import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { JsonScan } from '../../json-scan.ts';
import { pause } from '../../pause.ts';
import { digestOf, type NewDocument } from '../storage/document.ts';
import { WriteError, writeCodes } from '../write-errors.ts';
import { type DataCipher, ENCRYPTED_TYPE } from './data-cipher.ts';

const MAX_TAG_BYTES = 512;
/** Levels of a long body. More are no document, and take more memory than its bytes. */
const MAX_LEVELS = 100_000;
/** Up to here the engine's own parser is done before anybody waits. */
const SHORT_BYTES = 65_536;
const MAX_TYPE_BYTES = 255;
const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/** What the headers of a request say of its document, or of all documents of a batch. */
export interface DocumentHead extends Pick<NewDocument, 'contentType' | 'tag' | 'idempotencyKey' | 'feesRequired'> {
  readonly mode: 'raw' | 'hash' | 'encrypt';
}

/**
 * Checks the headers.
 * @param rules the setting `writerAnyContentType`
 * @throws WriteError with the code of the table
 */
export function readHead(headers: IncomingHttpHeaders, rules: { readonly anyContentType: boolean }): DocumentHead {
  const contentType = headers['content-type'] ?? '';
  if (contentType === '') throw new WriteError(writeCodes.contentType, 'write-api.content-type-missing');
  if (!JSON_TYPE.test(contentType) && !rules.anyContentType)
    throw new WriteError(writeCodes.contentType, 'write-api.content-type-refused');
  if (!/^[\x20-\x7e]+$/.test(contentType) || contentType.length > MAX_TYPE_BYTES)
    throw new WriteError(writeCodes.contentType, 'write-api.content-type-long', { limit: MAX_TYPE_BYTES });
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw new WriteError(writeCodes.contentType, 'write-api.content-encoding');
  const mode = (single(headers['x-mode']) ?? 'raw').toLowerCase();
  if (mode !== 'raw' && mode !== 'hash' && mode !== 'encrypt')
    throw new WriteError(writeCodes.output, 'write-api.mode-unknown');
  const idempotencyKey = single(headers['idempotency-key']);
  if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey))
    throw new WriteError(writeCodes.idempotency, 'write-api.idempotency-key-malformed');
  // Header bytes reach us as one character each; the tag goes to the chain with the bytes that were sent.
  const tag = Buffer.from(single(headers['x-tag']) ?? '', 'latin1');
  if (tag.length > MAX_TAG_BYTES)
    throw new WriteError(writeCodes.output, 'write-api.tag-too-long', { limit: MAX_TAG_BYTES });
  return {
    contentType,
    mode,
    tag: tag.length === 0 ? undefined : tag,
    idempotencyKey,
    feesRequired: single(headers['x-feesrequired'])?.toLowerCase() === 'true',
  };
}

/** Checks a body and makes of it what goes to the chain. @throws WriteError with the code of the table */
export async function readDocument(
  head: DocumentHead,
  body: Uint8Array,
  keyId: string,
  cipher: DataCipher,
): Promise<NewDocument> {
  if (body.length === 0) throw new WriteError(writeCodes.emptyBody, 'write-api.body-empty');
  if (JSON_TYPE.test(head.contentType)) await requireJson(body);
  const { idempotencyKey, tag, feesRequired, mode } = head;
  const digest = digestOf(mode, head.contentType, tag, body);
  const common = { keyId, idempotencyKey, tag, feesRequired, digest };
  if (mode === 'hash') {
    const hash = createHash('sha256').update(body).digest('hex');
    return { ...common, contentType: 'text/plain', body: Buffer.from(hash, 'ascii') };
  }
  if (mode === 'encrypt')
    return { ...common, contentType: ENCRYPTED_TYPE, body: await cipher.encrypt(keyId, head.contentType, body) };
  return { ...common, contentType: head.contentType, body };
}

async function requireJson(body: Uint8Array): Promise<void> {
  if (!isUtf8(body)) throw new WriteError(writeCodes.body, 'write-api.body-not-utf8');
  if (!(body.length > SHORT_BYTES ? await isLongJson(body) : isJson(body)))
    throw new WriteError(writeCodes.body, 'write-api.body-not-json');
}

function isJson(body: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/** Makes no values of a long body, which could take seconds, and lets others have their turn. */
async function isLongJson(body: Uint8Array): Promise<boolean> {
  const scan = new JsonScan({ depth: MAX_LEVELS });
  for (let at = 0; at < body.length; at += SHORT_BYTES) {
    if (scan.push(body.subarray(at, at + SHORT_BYTES)) !== undefined) return false;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return scan.end() === undefined;
}

export function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
