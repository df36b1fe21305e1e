// These constants were chosen by `npm run bench` at 300 and at 3,000 documents a second; decision 0006 ("Who goes first") has the figures.

/** Further clients are expected for so long (ms) after the last one that waits for the disk alone. */
const BUSY_MS = 20;
/**
 * While they come as often as this (a millisecond), the work rests this many times as long as its last piece took, and never shorter
 * than this (ms). Where they come less often, the rests are shorter in proportion.
 */
const CROWD = 3;
const REST_SHARE = 15;
const LEAST_REST_MS = 5;
/** Callers who have come without a break for so long (ms) go on coming: the work then rests less, so that what waits does not grow old. */
const LONG_BUSY_MS = 30_000;
const LONG_REST_SHARE = 2;
/** While a crowd comes, a piece of work is this part of what it is otherwise. */
const SMALL_PIECE = 4;
/** From this part of a crowd on, pieces are small. */
const MANY = 1 / 3;
/** Weight of the newest caller in the mean time between two. */
const NEWEST = 0.05;

/**
 * Shares the event loop between accepting documents, which has priority, and writing them to the chain. The second kind of work is split
 * into pieces of a few milliseconds. While clients arrive that wait for the disk alone, a pause follows each piece, in proportion to the
 * length of the piece and to the rate of arrivals. The pieces never stop, so accepted documents reach the chain under any load.
 */
export class Scheduler {
  readonly #now: () => number;
  #cameAt = Number.NEGATIVE_INFINITY;
  #busySince = Number.NEGATIVE_INFINITY;
  /** Mean time between two callers, in milliseconds. */
  #gap = BUSY_MS;
  #freeAt = 0;

  /** @param now milliseconds that never go back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A client arrived that waits until its document is on the disk, and no longer. */
  clientArrived(): void {
    const now = this.#now();
    const gap = Math.min(BUSY_MS, now - this.#cameAt);
    if (!this.#busy(now)) this.#busySince = now;
    this.#gap += (gap - this.#gap) * NEWEST;
    this.#cameAt = now;
  }

  /**
   * How much of something a piece of work takes on now, so that it keeps nobody waiting for long.
   * @param most what it takes on when few callers come, or have come for so long that the work has to keep up
   */
  batchSize(most: number): number {
    const now = this.#now();
    const small = this.#busy(now) && !this.#busyForLong(now) && this.#crowd() >= MANY;
    return small ? Math.ceil(most / SMALL_PIECE) : most;
  }

  /** Resolves when the next piece of work may be done; requests that came meanwhile are answered first. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (;;) {
      const now = this.#now();
      if (!this.#busy(now)) return;
      if (now >= this.#freeAt) return this.#begin(now);
      const rest = Math.min(BUSY_MS, Math.ceil(this.#freeAt - now));
      await new Promise((resolve) => setTimeout(resolve, rest));
    }
  }

  /** How long (ms) the work rests after a piece that took `worked` ms. */
  rest(worked: number): number {
    const share = this.#busyForLong(this.#now()) ? LONG_REST_SHARE : REST_SHARE;
    return Math.max(LEAST_REST_MS, worked * share) * this.#crowd();
  }

  #busy(now: number): boolean {
    return now - this.#cameAt <= BUSY_MS;
  }

  #busyForLong(now: number): boolean {
    return now - this.#busySince > LONG_BUSY_MS;
  }

  /** How much of a crowd the callers are, from 0 to 1. */
  #crowd(): number {
    return Math.min(1, 1 / (this.#gap * CROWD));
  }

  #begin(began: number): void {
    // Nobody else's turn until the piece is done: the loop comes to this when it waits for something outside, or ends.
    this.#freeAt = Number.POSITIVE_INFINITY;
    setImmediate(() => {
      const now = this.#now();
      this.#freeAt = now + this.rest(now - began);
    });
  }
}
