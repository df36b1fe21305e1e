/** Header, two integers of at least one byte each, and their tags. */
const SHORTEST = 8;
/** Two integers of 33 bytes each: 32 and a sign byte. */
const LONGEST = 72;
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/**
 * Reads an ECDSA signature in strict DER, as BIP 66 defines it: one encoding for each pair of numbers. Negative numbers, needless
 * leading zeros, lengths in the long form and bytes after the end are not accepted.
 * @param der without a hash type behind it
 * @returns r and s as 32 bytes each, or undefined if the bytes are not strict DER
 */
export function parseDerSignature(der: Uint8Array): Uint8Array | undefined {
  if (der.length < SHORTEST || der.length > LONGEST || der[0] !== SEQUENCE || der[1] !== der.length - 2)
    return undefined;
  const r = integerAt(der, 2);
  if (r === undefined) return undefined;
  const s = integerAt(der, r.end);
  if (s === undefined || s.end !== der.length) return undefined;
  const both = new Uint8Array(64);
  both.set(r.number, 32 - r.number.length);
  both.set(s.number, 64 - s.number.length);
  return both;
}

/** A positive integer of at most 32 bytes with its tag, without the zero byte that carries its sign. */
function integerAt(der: Uint8Array, at: number): { number: Uint8Array; end: number } | undefined {
  const length = der[at + 1] ?? 0;
  const end = at + 2 + length;
  if (der[at] !== INTEGER || length === 0 || end > der.length) return undefined;
  const number = der.subarray(at + 2, end);
  const first = number[0] as number;
  if (first >= 0x80) return undefined;
  const hasSignByte = first === 0 && length > 1;
  if (hasSignByte && (number[1] as number) < 0x80) return undefined;
  const magnitude = hasSignByte ? number.subarray(1) : number;
  return magnitude.length > 32 ? undefined : { number: magnitude, end };
}
