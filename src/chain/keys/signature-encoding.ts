import { toHex } from '../encoding/bytes.ts';

/** Half the order of the curve: a larger S is the malleated form of a smaller one. */
const HALF_ORDER = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';

/**
 * True for a signature in strict DER with one byte of hash type behind it (BIP66): both numbers positive and as short as can be.
 * Whether the numbers are in the range of the curve is not asked.
 */
export function isStrictSignature(bytes: ArrayLike<number>): boolean {
  if (bytes.length < 9 || bytes.length > 73 || bytes[0] !== 0x30 || bytes[1] !== bytes.length - 3) return false;
  const rLength = bytes[3] as number;
  const sAt = 4 + rLength;
  return sAt + 2 < bytes.length && isInteger(bytes, 2, sAt) && isInteger(bytes, sAt, bytes.length - 1);
}

/** Whether a DER integer fills the bytes from `at` up to `end`. */
function isInteger(bytes: ArrayLike<number>, at: number, end: number): boolean {
  const length = bytes[at + 1] as number;
  if (bytes[at] !== 0x02 || length === 0 || at + 2 + length !== end) return false;
  const first = bytes[at + 2] as number;
  if (first >= 0x80) return false;
  return length === 1 || first !== 0 || (bytes[at + 3] as number) >= 0x80;
}

/** True where the S of a strict signature is at most half the order. @param bytes for which {@link isStrictSignature} holds */
export function hasLowS(bytes: ArrayLike<number>): boolean {
  const sAt = 4 + (bytes[3] as number);
  const digits = Uint8Array.from(bytes).subarray(sAt + 2, bytes.length - 1);
  const from = digits.findIndex((digit) => digit !== 0);
  if (from < 0) return true;
  const hex = toHex(digits.subarray(from));
  return hex.length <= 64 && hex.padStart(64, '0') <= HALF_ORDER;
}

/** True for the two forms a public key has: compressed with 33 bytes, plain with 65. Whether it is on the curve is not asked. */
export function isPublicKeyForm(key: ArrayLike<number>): boolean {
  return (key.length === 33 && (key[0] === 2 || key[0] === 3)) || (key.length === 65 && key[0] === 4);
}
