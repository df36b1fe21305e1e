import * as Hash from '@bsv/sdk/primitives/Hash';
import { ChainError } from '../errors.ts';
import type { Steps } from './steps.ts';

const HEX = /^(?:[0-9a-fA-F]{2})*$/;
/** Text of more characters is checked by Node's decoder: the pattern takes longer than the decoding. */
const LONG_HEX = 1_024;
const HEX_OF_BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const HASH_BYTES = 32;
const NO_DIGIT = 255;
/** Value of a hex digit by character code; {@link NO_DIGIT} for any other ASCII character. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase());
  return digit < 0 ? NO_DIGIT : digit;
});

// Looked up at run time instead of imported: browsers have neither module and use the portable implementation.
const native: { readonly Buffer?: typeof Buffer; readonly process?: typeof process } = globalThis;
const NodeBuffer = native.Buffer;
const nodeCrypto = native.process?.getBuiltinModule?.('node:crypto');
const nodeHash = nodeCrypto?.hash;
const nodeRipemd = /* @__PURE__ */ hasRipemd() ? nodeHash : undefined;
/** Scratch buffers for the inner hash of a double hash. They hold no state between calls. */
const between = new Uint8Array(HASH_BYTES);
const reversed = NodeBuffer?.allocUnsafeSlow(HASH_BYTES);

/** A plain Uint8Array over the same memory, because `slice` and `subarray` of a Buffer behave differently. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Lower-case hex. @example toHex(Uint8Array.of(0, 255)) // '00ff' */
export function toHex(bytes: Uint8Array): string {
  if (NodeBuffer) return NodeBuffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  let hex = '';
  for (const byte of bytes) hex += HEX_OF_BYTE[byte];
  return hex;
}

/**
 * Strict hex: either case, no prefix, an even number of digits. Empty text gives an empty array.
 * @throws ChainError `hex-invalid`
 */
export function fromHex(hex: string): Uint8Array {
  // Node stops writing at the first character that is no digit, but takes one beyond a byte for its lowest eight bits
  const isChecked = NodeBuffer !== undefined && hex.length > LONG_HEX && NodeBuffer.byteLength(hex) === hex.length;
  if (hex.length % 2 === 1 || !(isChecked || HEX.test(hex))) throw notHex(hex);
  const bytes = new Uint8Array(hex.length / 2);
  if (NodeBuffer) {
    if (NodeBuffer.from(bytes.buffer).write(hex, 'hex') < bytes.length) throw notHex(hex);
  } else for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

function notHex({ length }: string): ChainError {
  return new ChainError('hex-invalid', 'Text is not an even number of hex digits.', { length });
}

const STEP_BYTES = 32_768;

/** Same as {@link toHex}, in chunks. */
export function* hexPieces(bytes: Uint8Array): Generator<string> {
  for (let at = 0; at < bytes.length; at += STEP_BYTES) yield toHex(bytes.subarray(at, at + STEP_BYTES));
}

/** Same as {@link fromHex}, in steps. @throws ChainError `hex-invalid` */
export function* readHex(hex: string): Steps<Uint8Array> {
  if (hex.length <= 2 * STEP_BYTES) return fromHex(hex);
  const bytes = new Uint8Array(Math.floor(hex.length / 2));
  for (let at = 0; at < hex.length; at += 2 * STEP_BYTES) {
    bytes.set(fromHex(hex.slice(at, at + 2 * STEP_BYTES)), at / 2);
    yield '';
  }
  return bytes;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Compares two byte arrays. Not constant-time: never compare secrets with it. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  if (NodeBuffer) return NodeBuffer.compare(a, b) === 0;
  return a.every((byte, i) => byte === b[i]);
}

/** Reverses the bytes of a hex text: converts between display order and internal order. @throws ChainError `hex-invalid` */
export function reverseHex(hex: string): string {
  return toHex(fromHex(hex).reverse());
}

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  if (nodeHash === undefined) return Uint8Array.from(Hash.sha256(Array.from(bytes)));
  return fromBinary(nodeHash('sha256', bytes, 'binary'), new Uint8Array(HASH_BYTES));
}

/** SHA-256 twice, the hash of transactions, headers and Merkle nodes. */
export function sha256d(bytes: Uint8Array): Uint8Array {
  if (nodeHash === undefined) return sha256(sha256(bytes));
  return sha256(fromBinary(nodeHash('sha256', bytes, 'binary'), between));
}

/** {@link sha256} of consecutive parts, which are not joined. */
export function sha256OfParts(parts: readonly Uint8Array[]): Uint8Array {
  if (nodeCrypto === undefined || parts.length === 1)
    return sha256(parts.length === 1 ? (parts[0] as Uint8Array) : concatBytes(...parts));
  const hash = nodeCrypto.createHash('sha256');
  for (const part of parts) hash.update(part);
  return plainBytes(hash.digest());
}

/** {@link sha256d} of consecutive parts, which are not joined. */
export function sha256dOfParts(parts: readonly Uint8Array[]): Uint8Array {
  return sha256(sha256OfParts(parts));
}

/** RIPEMD-160 of SHA-256, 20 bytes: the hash inside an address. */
export function hash160(bytes: Uint8Array): Uint8Array {
  const hash = sha256(bytes);
  if (nodeRipemd === undefined) return Uint8Array.from(Hash.ripemd160(Array.from(hash)));
  return fromBinary(nodeRipemd('ripemd160', hash, 'binary'), new Uint8Array(20));
}

/** Electron's crypto has no RIPEMD-160, and other OpenSSL builds may lack it too. The SDK's implementation is the fallback. */
function hasRipemd(): boolean {
  try {
    return nodeHash?.('ripemd160', '', 'hex') === '9c1185a5c5e9fc54612808977ee8f548b2258d31';
  } catch {
    return false;
  }
}

/** Node returns a hash as a string in a third of the time it takes to create a buffer. @param text one character per byte */
function fromBinary(text: string, into: Uint8Array): Uint8Array {
  for (let at = 0; at < into.length; at++) into[at] = text.charCodeAt(at);
  return into;
}

/** Converts a hash from internal byte order to display-order hex, which is used at every interface. */
export function hashToDisplay(internal: Uint8Array): string {
  return internal.length === HASH_BYTES ? hashAt(internal, 0) : toHex(Uint8Array.from(internal).reverse());
}

/** Display-order hex of the 32-byte hash at an offset. @param bytes must contain 32 bytes from the offset on */
export function hashAt(bytes: Uint8Array, offset: number): string {
  if (reversed === undefined) return toHex(bytes.slice(offset, offset + HASH_BYTES).reverse());
  for (let at = 0; at < HASH_BYTES; at++) reversed[at] = bytes[offset + HASH_BYTES - 1 - at] as number;
  return reversed.toString('hex');
}

/**
 * Converts display-order hex of 32 bytes to internal order.
 * @throws ChainError `hex-invalid` unless it is exactly 64 hex digits.
 */
export function displayToHash(hex: string): Uint8Array {
  if (hex.length !== 2 * HASH_BYTES) {
    throw new ChainError('hex-invalid', 'A hash is 64 hex digits.', { length: hex.length });
  }
  const hash = new Uint8Array(HASH_BYTES);
  for (let at = 0; at < HASH_BYTES; at++) {
    const high = DIGITS[hex.charCodeAt(2 * at)] ?? NO_DIGIT;
    const low = DIGITS[hex.charCodeAt(2 * at + 1)] ?? NO_DIGIT;
    if (high === NO_DIGIT || low === NO_DIGIT) {
      throw new ChainError('hex-invalid', 'Text is not an even number of hex digits.', { length: hex.length });
    }
    hash[HASH_BYTES - 1 - at] = high * 16 + low;
  }
  return hash;
}

/** True for 64 lower-case hex digits: a txid or block hash in display order. */
export function isHashHex(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** Encoded size of a variable-length integer in bytes. */
export function varintSize(n: number): number {
  if (n < 0xfd) return 1;
  if (n <= 0xffff) return 3;
  return n <= 0xffffffff ? 5 : 9;
}
