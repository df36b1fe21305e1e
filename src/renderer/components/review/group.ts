/** Entries that are alike, drawn and told as one. */
export interface Group<T> {
  readonly entries: readonly T[];
}

/** As many alike entries as are still told one by one. */
const TOLD_SINGLY = 3;

/**
 * Puts together what is alike. What differs from the rest comes first, so that an exception is never hidden among its neighbours.
 * @param likeness entries with the same text are alike
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
