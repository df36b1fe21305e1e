/** A power of two, about the largest number of concurrent calls. */
const BUCKETS = 1_024;
/** Characters at the end of a name that select its bucket. */
const SPREAD = 80;

export interface Entry<Self> {
  readonly name: string;
  /** The next entry in the same bucket; set by the map. */
  nextInBucket: Self | undefined;
}

/**
 * Entries by name that are added and removed quickly. A `Map` creates a new table every few entries, and each old table points to the next.
 * Once one table has been promoted to the old generation, the garbage collector keeps and copies the content of all later tables, which
 * cost more than the calls themselves. In this map, a removed entry never points to a later one.
 */
export class InFlightMap<Self extends Entry<Self>> {
  readonly #buckets: (Self | undefined)[] = new Array<Self | undefined>(BUCKETS).fill(undefined);

  get(name: string): Self | undefined {
    let entry = this.#buckets[bucketOf(name)];
    while (entry !== undefined && entry.name !== name) entry = entry.nextInBucket;
    return entry;
  }

  /** Adds an entry before others with the same name. */
  put(entry: Self): void {
    const bucket = bucketOf(entry.name);
    entry.nextInBucket = this.#buckets[bucket];
    this.#buckets[bucket] = entry;
  }

  /** Removes exactly this entry, if it is in the map. */
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
