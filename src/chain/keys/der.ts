/** Minimum length: header, and two integers of one byte each with their tags. */
const SHORTEST = 8;
/** Maximum length: two integers of 33 bytes each (32 and a sign byte). */
const LONGEST = 72;
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/**
 * Reads an ECDSA signature in strict DER (BIP 66), which has one encoding for each pair of numbers. Negative numbers, unnecessary
 * leading zeros, long-form lengths and trailing bytes are rejected.
 * @param der without the hash type
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

/** Reads a tagged positive integer of at most 32 bytes and removes its sign byte. */
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
