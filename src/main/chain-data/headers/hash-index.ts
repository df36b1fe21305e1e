/** Power of two. */
const FEWEST_SLOTS = 4_096;

/**
 * Heights by the first four bytes of a block hash, in eight bytes an entry. Different hashes can share these bytes, and entries are never
 * removed: the caller compares the whole hash of the height it gets.
 */
export class HashIndex {
  #keys: Uint32Array;
  /** Height + 1; 0 for a free slot. */
  #heights: Uint32Array;
  #used = 0;

  /** @param expected entries to make room for; more can be added */
  constructor(expected: number) {
    const slots = Math.max(FEWEST_SLOTS, 2 ** Math.ceil(Math.log2(2 * expected + 2)));
    this.#keys = new Uint32Array(slots);
    this.#heights = new Uint32Array(slots);
  }

  add(key: number, height: number): void {
    if (this.#used * 2 >= this.#keys.length) this.#grow();
    this.#put(key, height + 1);
  }

  /** Heights that may belong to the hash. */
  *heights(key: number): Generator<number> {
    const mask = this.#keys.length - 1;
    for (let at = key & mask; this.#heights[at] !== 0; at = (at + 1) & mask)
      if (this.#keys[at] === key) yield (this.#heights[at] as number) - 1;
  }

  #put(key: number, stored: number): void {
    const mask = this.#keys.length - 1;
    let at = key & mask;
    for (; this.#heights[at] !== 0; at = (at + 1) & mask)
      if (this.#keys[at] === key && this.#heights[at] === stored) return;
    this.#keys[at] = key;
    this.#heights[at] = stored;
    this.#used += 1;
  }

  #grow(): void {
    const [keys, heights] = [this.#keys, this.#heights];
    this.#keys = new Uint32Array(keys.length * 2);
    this.#heights = new Uint32Array(keys.length * 2);
    this.#used = 0;
    for (let at = 0; at < keys.length; at++)
      if (heights[at] !== 0) this.#put(keys[at] as number, heights[at] as number);
  }
}
