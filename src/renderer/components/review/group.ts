/** Equal entries that are shown as one. */
export interface Group<T> {
  readonly entries: readonly T[];
}

/** Up to this number, equal entries are shown one by one. */
const TOLD_SINGLY = 3;

/**
 * Groups equal entries. Small groups come first, so that an exception is not hidden among the others.
 * @param likeness entries with the same text are equal
 */
export function groupAlike<T>(entries: readonly T[], likeness: (entry: T) => string): Group<T>[] {
  const kinds = new Map<string, T[]>();
  for (const entry of entries) {
    const key = likeness(entry);
    const alike = kinds.get(key);
    if (alike === undefined) kinds.set(key, [entry]);
    else alike.push(entry);
  }
  return [...kinds.values()]
    .toSorted((a, b) => a.length - b.length)
    .flatMap((alike) =>
      alike.length <= TOLD_SINGLY ? alike.map((entry) => ({ entries: [entry] })) : [{ entries: alike }],
    );
}
