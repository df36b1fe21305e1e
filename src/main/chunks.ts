/** A list in parts of one length, the last one shorter. @param size of a part, at least 1 */
export function* chunks<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}

/**
 * A list in parts that stay within two bounds.
 * @param most elements of a part, at least 1
 * @param maxBytes that the elements of a part have together; one alone may have more
 */
export function* boundedChunks<T extends { readonly bytes: number }>(
  list: readonly T[],
  most: number,
  maxBytes: number,
): Generator<T[]> {
  let part: T[] = [];
  let bytes = 0;
  for (const one of list) {
    if (part.length > 0 && (part.length === most || bytes + one.bytes > maxBytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(one);
    bytes += one.bytes;
  }
  if (part.length > 0) yield part;
}
