/** So long (ms) after the last caller who waits for the disk alone, more of them are expected. */
const BUSY_MS = 20;
/** While they come, the work rests this many times as long as its last piece took, and never shorter than this (ms). */
const REST_SHARE = 15;
const LEAST_REST_MS = 5;
/** Callers who have come without a break for so long (ms) go on coming: the work then rests less, so that what waits does not grow old. */
const LONG_BUSY_MS = 30_000;
const LONG_REST_SHARE = 5;
/** While callers come, a piece of work is this part of what it is otherwise. */
const SMALL_PIECE = 4;

/**
 * Shares the event loop between taking documents in, which comes first, and bringing them to the chain. That work is done in pieces of a
 * few milliseconds, each in a turn of its own. While callers come who wait for nothing but the disk, the turns are rare: one piece at a
 * time, then a rest in proportion. They never end, so what was taken goes on to the chain whatever comes in.
 */
export class Turns {
  #cameAt = Number.NEGATIVE_INFINITY;
  #busySince = Number.NEGATIVE_INFINITY;
  #freeAt = 0;

  /** A caller came who waits until the document is on the disk, and no longer. */
  came(): void {
    const now = performance.now();
    if (now - this.#cameAt > BUSY_MS) this.#busySince = now;
    this.#cameAt = now;
  }

  /**
   * How much of something a piece of work takes on now, so that it keeps nobody waiting for long.
   * @param most what it takes on when no caller waits
   */
  piece(most: number): number {
    return this.#busy(performance.now()) ? Math.ceil(most / SMALL_PIECE) : most;
  }

  /** Resolves when the next piece of work may be done; requests that came meanwhile are answered first. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (;;) {
      const now = performance.now();
      if (!this.#busy(now)) return;
      if (now >= this.#freeAt) return this.#begin(now);
      const rest = Math.min(BUSY_MS, Math.ceil(this.#freeAt - now));
      await new Promise((resolve) => setTimeout(resolve, rest));
    }
  }

  #busy(now: number): boolean {
    return now - this.#cameAt <= BUSY_MS;
  }

  #begin(began: number): void {
    // Nobody else's turn until the piece is done: the loop comes to this when it waits for something outside, or ends.
    this.#freeAt = Number.POSITIVE_INFINITY;
    setImmediate(() => {
      const now = performance.now();
      const share = now - this.#busySince > LONG_BUSY_MS ? LONG_REST_SHARE : REST_SHARE;
      this.#freeAt = now + Math.max(LEAST_REST_MS, (now - began) * share);
    });
  }
}
