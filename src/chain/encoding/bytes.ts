import * as Hash from '@bsv/sdk/primitives/Hash';
import { ChainError } from '../errors.ts';
import type { Steps } from './steps.ts';

const HEX = /^(?:[0-9a-fA-F]{2})*$/;
const HEX_OF_BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const HASH_BYTES = 32;
const NO_DIGIT = 255;
/** By character code: what a hex digit stands for, {@link NO_DIGIT} for any other character of ASCII. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase());
  return digit < 0 ? NO_DIGIT : digit;
});

// Asked for at run time instead of imported, so that a browser can load this module: it has neither, and takes the portable way.
const native: { readonly Buffer?: typeof Buffer; readonly process?: typeof process } = globalThis;
const NodeBuffer = native.Buffer;
const nodeHash = native.process?.getBuiltinModule?.('node:crypto')?.hash;
const nodeRipemd = /* @__PURE__ */ hasRipemd() ? nodeHash : undefined;
/** A hash on its way to another: nothing is kept in them from one call to the next. */
const between = new Uint8Array(HASH_BYTES);
const reversed = NodeBuffer?.allocUnsafeSlow(HASH_BYTES);

/** A plain Uint8Array over the same memory: a Buffer's own `slice` and `subarray` behave differently. */
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
 * Strict hex, either case, no prefix, an even number of digits; empty text gives no bytes.
 * @throws ChainError `hex-invalid`
 */
export function fromHex(hex: string): Uint8Array {
  if (!HEX.test(hex))
    throw new ChainError('hex-invalid', 'Text is not an even number of hex digits.', { length: hex.length });
  const bytes = new Uint8Array(hex.length / 2);
  if (NodeBuffer) NodeBuffer.from(bytes.buffer).write(hex, 'hex');
  else for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Bytes that are turned into hex, or out of it, in one step. */
const STEP_BYTES = 32_768;

/** The same as {@link toHex}, piece by piece. */
export function* hexPieces(bytes: Uint8Array): Generator<string> {
  for (let at = 0; at < bytes.length; at += STEP_BYTES) yield toHex(bytes.subarray(at, at + STEP_BYTES));
}

/** The same as {@link fromHex}, step by step. @throws ChainError `hex-invalid` */
export function* readHex(hex: string): Steps<Uint8Array> {
  if (hex.length <= 2 * STEP_BYTES) return fromHex(hex);
  const bytes = new Uint8Array(Math.floor(hex.length / 2));
  for (let at = 0; at < hex.length; at += 2 * STEP_BYTES) {
    bytes.set(fromHex(hex.slice(at, at + 2 * STEP_BYTES)), at / 2);
    yield '';
  }
  return bytes;
}

/** One new array holding all parts in order. */
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

/** True where both hold the same bytes. Not constant-time: never compare secrets with it. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  if (NodeBuffer) return NodeBuffer.compare(a, b) === 0;
  return a.every((byte, i) => byte === b[i]);
}

/** Turns hex round byte by byte: display order to internal order and back. @throws ChainError `hex-invalid` */
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

/** RIPEMD-160 of SHA-256, 20 bytes: the hash inside an address. */
export function hash160(bytes: Uint8Array): Uint8Array {
  const hash = sha256(bytes);
  if (nodeRipemd === undefined) return Uint8Array.from(Hash.ripemd160(Array.from(hash)));
  return fromBinary(nodeRipemd('ripemd160', hash, 'binary'), new Uint8Array(20));
}

/** Electron's crypto has no RIPEMD-160, and other builds of OpenSSL may have none: the SDK's stands in. */
function hasRipemd(): boolean {
  try {
    return nodeHash?.('ripemd160', '', 'hex') === '9c1185a5c5e9fc54612808977ee8f548b2258d31';
  } catch {
    return false;
  }
}

/** Node hands out a hash as text in a third of the time it takes to make a buffer of it. @param text a character for each byte */
function fromBinary(text: string, into: Uint8Array): Uint8Array {
  for (let at = 0; at < into.length; at++) into[at] = text.charCodeAt(at);
  return into;
}

/** Internal-order hash bytes to the display-order hex used at every border. */
export function hashToDisplay(internal: Uint8Array): string {
  return internal.length === HASH_BYTES ? hashAt(internal, 0) : toHex(Uint8Array.from(internal).reverse());
}

/** Display-order hex of the hash that stands in internal order at an offset. @param bytes must reach 32 bytes beyond it */
export function hashAt(bytes: Uint8Array, offset: number): string {
  if (reversed === undefined) return toHex(bytes.slice(offset, offset + HASH_BYTES).reverse());
  for (let at = 0; at < HASH_BYTES; at++) reversed[at] = bytes[offset + HASH_BYTES - 1 - at] as number;
  return reversed.toString('hex');
}

/**
 * Display-order hex of 32 bytes to internal order.
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

/** True for 64 lower-case hex digits: a txid or block hash as it stands at borders. */
export function isHashHex(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** Bytes a variable-length integer takes. */
export function varintSize(n: number): number {
  if (n < 0xfd) return 1;
  if (n <= 0xffff) return 3;
  return n <= 0xffffffff ? 5 : 9;
}
