/** Most heights to remember. The ones added first are removed first. */
const KNOWN_HEIGHTS = 200_000;

/** The blocks known to be on the main chain, by height and by hash. */
export class ActiveChainHashes {
  readonly #hashes = new Map<number, string>();
  readonly #heights = new Map<string, number>();

  hashAt(height: number): string | undefined {
    return this.#hashes.get(height);
  }

  heightOf(hash: string): number | undefined {
    return this.#heights.get(hash);
  }

  add(hash: string, height: number): void {
    const other = this.#hashes.get(height);
    if (other !== undefined) this.#heights.delete(other);
    this.#hashes.set(height, hash);
    this.#heights.set(hash, height);
    if (this.#hashes.size <= KNOWN_HEIGHTS) return;
    const [oldest] = this.#hashes;
    if (oldest === undefined) return;
    this.#hashes.delete(oldest[0]);
    this.#heights.delete(oldest[1]);
  }

  forgetAbove(fork: number): void {
    for (const [height, hash] of this.#hashes) {
      if (height <= fork) continue;
      this.#hashes.delete(height);
      this.#heights.delete(hash);
    }
  }

  clear(): void {
    this.#hashes.clear();
    this.#heights.clear();
  }
}
