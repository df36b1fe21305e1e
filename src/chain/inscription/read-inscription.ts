import { equalBytes, plainBytes } from '../encoding/bytes.ts';
import { OP } from '../script/opcodes.ts';
import { type ScriptChunk, ScriptCursor } from '../script/script.ts';
import { type Inscription, MAP_PREFIX } from './inscription.ts';
import { MAX_OPERATIONS, ownerKeyHash } from './key-lock.ts';

/** An inscription in any layout, as written by any wallet. */
export interface ReadInscription extends Omit<Inscription, 'pubKeyHash'> {
  /** Key hash of the owner; undefined if the lock does not belong to a single key. */
  readonly pubKeyHash?: Uint8Array;
}

/** Maximum metadata pairs. Real tokens have a few dozen. */
const MAX_PAIRS = 1_000;
/** Field numbers of the envelope. */
const CONTENT_FIELD = 0;
const TYPE_FIELD = 1;

const NOTHING = new Uint8Array(0);
const TAG = new TextEncoder().encode('ord');
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads an inscription in any layout: the envelope before or after the lock, any lock, fields in any order, non-minimal pushes, other
 * protocols next to MAP after OP_RETURN. For display only: tokens minted here have one exact layout, which `parseInscription` checks.
 * @returns undefined unless there is a complete envelope outside conditionals and before OP_RETURN. Invalid UTF-8 becomes U+FFFD.
 *   The content is a view of the script.
 * @example readInscription(script)?.contentType // 'image/png'
 */
export function readInscription(script: Uint8Array): ReadInscription | undefined {
  const bytes = plainBytes(script);
  const cursor = new ScriptCursor(bytes);
  if (!seekEnvelope(cursor)) return undefined;
  const fields = readFields(cursor);
  if (fields === undefined) return undefined;
  const pubKeyHash = ownerKeyHash(bytes);
  return {
    contentType: decoder.decode(fields.get(TYPE_FIELD) ?? NOTHING),
    content: fields.get(CONTENT_FIELD) ?? NOTHING,
    map: readMap(cursor),
    ...(pubKeyHash && { pubKeyHash }),
  };
}

/** Moves past `OP_FALSE OP_IF "ord"`. Returns false if there is none outside conditionals. */
function seekEnvelope(cursor: ScriptCursor): boolean {
  let depth = 0;
  /** Number of consecutive operations matched so far. */
  let matched = 0;
  for (let count = 0; count < MAX_OPERATIONS; count++) {
    const chunk = cursor.next();
    if (chunk === undefined || (depth === 0 && chunk.op === OP.RETURN)) return false;
    if (matched === 2 && chunk.data !== undefined && equalBytes(chunk.data, TAG)) return true;
    if (matched === 1 && chunk.op === OP.IF) matched = 2;
    else matched = depth === 0 && chunk.op === OP.FALSE ? 1 : 0;
    if (chunk.op === OP.IF || chunk.op === OP.NOTIF) depth += 1;
    else if (chunk.op === OP.ENDIF) depth -= 1;
  }
  return false;
}

/** Envelope fields by number. The first of duplicate fields counts. Returns undefined if the envelope does not end or is malformed. */
function readFields(cursor: ScriptCursor): Map<number, Uint8Array> | undefined {
  const fields = new Map<number, Uint8Array>();
  for (let count = 0; count < MAX_OPERATIONS; count += 2) {
    const key = cursor.next();
    if (key === undefined) return undefined;
    if (key.op === OP.ENDIF) return fields;
    const number = fieldNumber(key);
    const value = cursor.next();
    if (key.op > OP.SIXTEEN || value === undefined || value.op > OP.SIXTEEN) return undefined;
    if (number !== undefined && !fields.has(number)) fields.set(number, value.data ?? NOTHING);
  }
  return undefined;
}

/** A field's number, as an opcode or as one byte; undefined for text keys. */
function fieldNumber({ op, data }: ScriptChunk): number | undefined {
  if (data === undefined) return op - OP.RESERVED;
  return data.length > 1 ? undefined : (data[0] ?? 0);
}

/** The key-value pairs that MAP sets after OP_RETURN. The last of duplicate keys counts. Other protocols are skipped. */
function readMap(cursor: ScriptCursor): Record<string, string> {
  const pairs = new Map<string, string>();
  if (!seekReturn(cursor)) return {};
  let part: string[] = [];
  // The number of pairs is not a sufficient limit: a script may repeat one key millions of times.
  for (let count = 0; count < MAX_OPERATIONS && pairs.size < MAX_PAIRS; count++) {
    const chunk = cursor.next();
    if (chunk === undefined) break;
    const text = chunk.data && decoder.decode(chunk.data);
    if (text === '|') part = [];
    else if (part.length < 2) part.push(text ?? '');
    else if (part[0] === MAP_PREFIX && part[1] === 'SET') {
      const value = cursor.next();
      if (text !== undefined && value?.data !== undefined) pairs.set(text, decoder.decode(value.data));
    }
  }
  return Object.fromEntries(pairs);
}

/** Moves past the first OP_RETURN outside conditionals. */
function seekReturn(cursor: ScriptCursor): boolean {
  let depth = 0;
  for (let count = 0; count < MAX_OPERATIONS; count++) {
    const chunk = cursor.next();
    if (chunk === undefined) return false;
    if (chunk.op === OP.RETURN && depth === 0) return true;
    if (chunk.op === OP.IF || chunk.op === OP.NOTIF) depth += 1;
    else if (chunk.op === OP.ENDIF) depth -= 1;
  }
  return false;
}
