import { equalBytes, hash160, plainBytes } from '../encoding/bytes.ts';
import { leadingP2pkh } from '../keys/address.ts';
import { OP } from '../script/opcodes.ts';
import { classifyScript, type ScriptChunk, ScriptCursor } from '../script/script.ts';
import { type Inscription, MAP_PREFIX } from './inscription.ts';

/** An inscription as anybody may have written it. */
export interface ReadInscription extends Omit<Inscription, 'pubKeyHash'> {
  /** Who owns the token; undefined where the lock is not one key's. */
  readonly pubKeyHash?: Uint8Array;
}

/** Operations outside the envelope that are looked at. Locks are short; a script of one-byte operations may be megabytes. */
const MAX_OPERATIONS = 20_000;
/** Metadata pairs that are read; tokens in use carry a few dozen. */
const MAX_PAIRS = 1_000;
/** Numbers of the envelope's fields. */
const CONTENT_FIELD = 0;
const TYPE_FIELD = 1;
/** Bytes of P2PK with a compressed and with a plain key. */
const P2PK_BYTES = [35, 67];

const NOTHING = new Uint8Array(0);
const TAG = new TextEncoder().encode('ord');
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads an inscription in whatever layout it was written: the envelope before or after the lock, any lock, fields in any order, longer
 * pushes than needed, other protocols beside MAP behind OP_RETURN. For reading alone: what is minted here has one layout, which
 * `parseInscription` holds to the byte.
 * @returns undefined where no complete envelope stands outside conditions and before OP_RETURN; text that is not UTF-8 holds U+FFFD
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
    content: (fields.get(CONTENT_FIELD) ?? NOTHING).slice(),
    map: readMap(cursor),
    ...(pubKeyHash && { pubKeyHash }),
  };
}

/**
 * The hash of the one key that can spend a script: it begins with P2PKH, or it is P2PKH or P2PK behind leading envelopes, which never
 * run. A plain P2PK script has no owner here, since nothing pays this application's keys that way.
 */
export function ownerKeyHash(script: Uint8Array): Uint8Array | undefined {
  const direct = leadingP2pkh(script);
  if (direct !== undefined || script[0] !== OP.FALSE || script[1] !== OP.IF) return direct;
  const bytes = plainBytes(script);
  let at = 0;
  while (bytes[at] === OP.FALSE && bytes[at + 1] === OP.IF) {
    const length = envelopeLength(bytes.subarray(at));
    if (length === undefined) return undefined;
    at += length;
  }
  // some writers keep the envelope out of what is signed
  if (bytes[at] === OP.CODESEPARATOR) at += 1;
  const lock = bytes.subarray(at);
  return leadingP2pkh(lock) ?? leadingP2pk(lock);
}

/** Bytes of the envelope at the beginning; undefined where it holds anything but pushes, or has no end. */
function envelopeLength(script: Uint8Array): number | undefined {
  const cursor = new ScriptCursor(script);
  cursor.next();
  cursor.next();
  for (let chunk = cursor.next(); chunk; chunk = cursor.next()) {
    if (chunk.op === OP.ENDIF) return cursor.offset;
    if (chunk.op > OP.SIXTEEN) return undefined;
  }
  return undefined;
}

function leadingP2pk(lock: Uint8Array): Uint8Array | undefined {
  for (const length of P2PK_BYTES) {
    const head = lock.subarray(0, length);
    const ends = lock.length === length || lock[length] === OP.RETURN;
    if (ends && classifyScript(head).type === 'pubkey') return hash160(head.subarray(1, -1));
  }
  return undefined;
}

/** Moves behind `OP_FALSE OP_IF "ord"`; false where there is none outside conditions. */
function seekEnvelope(cursor: ScriptCursor): boolean {
  let depth = 0;
  /** Operations of the envelope's head seen in a row. */
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

/** The envelope's fields by number, up to its end. The first of a number counts; undefined where it has no end or holds other operations. */
function readFields(cursor: ScriptCursor): Map<number, Uint8Array> | undefined {
  const fields = new Map<number, Uint8Array>();
  for (let key = cursor.next(); key; key = cursor.next()) {
    if (key.op === OP.ENDIF) return fields;
    const number = fieldNumber(key);
    const value = cursor.next();
    if (key.op > OP.SIXTEEN || value === undefined || value.op > OP.SIXTEEN) return undefined;
    if (number !== undefined && !fields.has(number)) fields.set(number, value.data ?? NOTHING);
  }
  return undefined;
}

/** A field's number, as an opcode or as one byte; undefined for keys that are words. */
function fieldNumber({ op, data }: ScriptChunk): number | undefined {
  if (data === undefined) return op - OP.RESERVED;
  return data.length > 1 ? undefined : (data[0] ?? 0);
}

/** The pairs that MAP sets behind OP_RETURN; where a key is set twice the later value counts. Parts of other protocols are left out. */
function readMap(cursor: ScriptCursor): Record<string, string> {
  const pairs = new Map<string, string>();
  if (!seekReturn(cursor)) return {};
  let part: string[] = [];
  for (let chunk = cursor.next(); chunk && pairs.size < MAX_PAIRS; chunk = cursor.next()) {
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

/** Moves behind the first OP_RETURN outside conditions. */
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
