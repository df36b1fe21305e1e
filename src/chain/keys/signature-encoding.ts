import { toHex } from '../encoding/bytes.ts';

/** Half the order of the curve. A larger S is the malleated form of a smaller one. */
const HALF_ORDER = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';

/**
 * True for a signature in strict DER followed by a one-byte hash type (BIP66): both numbers positive and minimally encoded. Does not check
 * that the numbers are in the range of the curve.
 */
export function isStrictSignature(bytes: ArrayLike<number>): boolean {
  if (bytes.length < 9 || bytes.length > 73 || bytes[0] !== 0x30 || bytes[1] !== bytes.length - 3) return false;
  const rLength = bytes[3] as number;
  const sAt = 4 + rLength;
  return sAt + 2 < bytes.length && isInteger(bytes, 2, sAt) && isInteger(bytes, sAt, bytes.length - 1);
}

/** Whether a DER integer occupies exactly the bytes from `at` to `end`. */
function isInteger(bytes: ArrayLike<number>, at: number, end: number): boolean {
  const length = bytes[at + 1] as number;
  if (bytes[at] !== 0x02 || length === 0 || at + 2 + length !== end) return false;
  const first = bytes[at + 2] as number;
  if (first >= 0x80) return false;
  return length === 1 || first !== 0 || (bytes[at + 3] as number) >= 0x80;
}

/** True if the S of a strict signature is at most half the order. @param bytes must pass {@link isStrictSignature} */
export function hasLowS(bytes: ArrayLike<number>): boolean {
  const sAt = 4 + (bytes[3] as number);
  const digits = Uint8Array.from(bytes).subarray(sAt + 2, bytes.length - 1);
  const from = digits.findIndex((digit) => digit !== 0);
  if (from < 0) return true;
  const hex = toHex(digits.subarray(from));
  return hex.length <= 64 && hex.padStart(64, '0') <= HALF_ORDER;
}

/** True for a compressed (33 bytes) or uncompressed (65 bytes) key. Does not check that it is a point of the curve. */
export function isPublicKeyForm(key: ArrayLike<number>): boolean {
  return (key.length === 33 && (key[0] === 2 || key[0] === 3)) || (key.length === 65 && key[0] === 4);
}
