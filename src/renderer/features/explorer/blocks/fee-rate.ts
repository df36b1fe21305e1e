/** Satoshis for 1,000 bytes; null if the fees or the bytes that pay them are not known. */
export function rateOf(fees: number | null | undefined, bytes: number | null | undefined): number | null {
  if (fees == null || bytes == null) return null;
  return bytes === 0 ? 0 : Math.round((fees / bytes) * 1_000);
}
