/** Bytes from `start` up to and without `end`. */
export interface BytePart {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the `Range` header a node takes for a block: `bytes=a-b`, both ends included. The node knows no 416; an open end, which it does
 * not know either, is the end of the block.
 * @param size of the whole in bytes
 * @returns the part, or the node's words for what is wrong with the header, which go with HTTP 404
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
