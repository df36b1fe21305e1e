/** A power of two, about as many as calls are ever under way at once. */
const BUCKETS = 1_024;
/** Characters of a name, from its end, that tell its bucket. */
const SPREAD = 80;

/** What a book can hold. */
export interface Entry<Self> {
  readonly name: string;
  /** The next entry in the same bucket; set by the map. */
  nextInBucket: Self | undefined;
}

/**
 * Entries by name that come and go quickly. A `Map` makes itself a new table every few entries and lets the table before point to it; once
 * one of them has grown old, the collector keeps and copies all that ever stood in the tables after it, which cost more than the calls
 * themselves. Here nothing leads from an entry that was taken out to one that came later.
 */
export class InFlightMap<Self extends Entry<Self>> {
  readonly #buckets: (Self | undefined)[] = new Array<Self | undefined>(BUCKETS).fill(undefined);

  get(name: string): Self | undefined {
    let entry = this.#buckets[bucketOf(name)];
    while (entry !== undefined && entry.name !== name) entry = entry.nextInBucket;
    return entry;
  }

  /** Puts an entry before others of its name. */
  put(entry: Self): void {
    const bucket = bucketOf(entry.name);
    entry.nextInBucket = this.#buckets[bucket];
    this.#buckets[bucket] = entry;
  }

  /** Takes this very entry out, where it is there. */
  take(entry: Self): void {
    const bucket = bucketOf(entry.name);
    let before: Self | undefined;
    let at = this.#buckets[bucket];
    while (at !== undefined && at !== entry) {
      before = at;
      at = at.nextInBucket;
    }
    if (at === undefined) return;
    if (before === undefined) this.#buckets[bucket] = entry.nextInBucket;
    else before.nextInBucket = entry.nextInBucket;
    entry.nextInBucket = undefined;
  }
}

function bucketOf(name: string): number {
  let hash = name.length;
  for (let at = Math.max(0, name.length - SPREAD); at < name.length; at++) {
    hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1);
}
