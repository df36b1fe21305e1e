/** A power of two, about as many as calls are ever under way at once. */
const SHELVES = 1_024;
/** Characters of a name, from its end, that tell its shelf. */
const SPREAD = 80;

/** What a book can hold. */
export interface Entry<Self> {
  readonly name: string;
  /** The book's own: the next on the same shelf. */
  beside: Self | undefined;
}

/**
 * Entries by name that come and go quickly. A `Map` makes itself a new table every few entries and lets the table before point to it; once
 * one of them has grown old, the collector keeps and copies all that ever stood in the tables after it, which cost more than the calls
 * themselves. Here nothing leads from an entry that was taken out to one that came later.
 */
export class FlightBook<Self extends Entry<Self>> {
  readonly #shelves: (Self | undefined)[] = new Array<Self | undefined>(SHELVES).fill(undefined);

  get(name: string): Self | undefined {
    let entry = this.#shelves[shelfOf(name)];
    while (entry !== undefined && entry.name !== name) entry = entry.beside;
    return entry;
  }

  /** Puts an entry before others of its name. */
  put(entry: Self): void {
    const shelf = shelfOf(entry.name);
    entry.beside = this.#shelves[shelf];
    this.#shelves[shelf] = entry;
  }

  /** Takes this very entry out, where it is there. */
  take(entry: Self): void {
    const shelf = shelfOf(entry.name);
    let before: Self | undefined;
    let at = this.#shelves[shelf];
    while (at !== undefined && at !== entry) {
      before = at;
      at = at.beside;
    }
    if (at === undefined) return;
    if (before === undefined) this.#shelves[shelf] = entry.beside;
    else before.beside = entry.beside;
    entry.beside = undefined;
  }
}

function shelfOf(name: string): number {
  let hash = name.length;
  for (let at = Math.max(0, name.length - SPREAD); at < name.length; at++) {
    hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 15)) & (SHELVES - 1);
}
