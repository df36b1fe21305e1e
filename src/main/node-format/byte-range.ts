/** Bytes from `start` (inclusive) to `end` (exclusive). */
export interface BytePart {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the `Range` header that a node accepts for a block: `bytes=a-b`, both ends inclusive. The node never answers 416. It does not
 * support an open end either; here that means the end of the block.
 * @param size of the block in bytes
 * @returns the range, or the node's error text, which is sent with HTTP 404
 */
export function readByteRange(header: string, size: number): BytePart | string {
  if (!header.startsWith('bytes=')) return "Invalid Range header format, should starts with 'bytes='";
  const [from = '', ...rest] = header.slice('bytes='.length).split('-');
  if (rest.length === 0) return 'Invalid Range header format, bytes delimiter not found';
  const to = rest.join('-') || String(size);
  if (!/^\d+/.test(from) || !/^\d+/.test(to)) {
    const negative = /^-\d/.test(to) && /^\d/.test(from);
    return negative ? 'Invalid Range parameter, negative value' : 'Invalid Range parameter';
  }
  const [start, last] = [Number.parseInt(from, 10), Number.parseInt(to, 10)];
  if (start > last) return 'Invalid Range parameter, start > end';
  if (start >= size) return 'Invalid Range parameter, start >= data_size';
  return { start, end: Math.min(last + 1, size) };
}
