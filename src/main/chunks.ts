/** A list in parts of one length, the last one shorter. @param size of a part, at least 1 */
export function* chunks<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}
