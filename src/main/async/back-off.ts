/** How long to wait before another attempt, in milliseconds: at first, and at most. */
export interface BackOffRange {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Above this, doubling further changes nothing: the longest wait is reached. */
const MOST_DOUBLINGS = 30;

/**
 * @param failures attempts that failed in a row, from 1
 * @param askedMs how long the other side asked to wait (`Retry-After`); it is never asked earlier
 * @returns milliseconds to wait: twice as long after each failure, up to the longest
 */
export function backOffMs({ firstMs, longestMs }: BackOffRange, failures: number, askedMs = 0): number {
  const doublings = Math.min(MOST_DOUBLINGS, Math.max(0, failures - 1));
  return Math.max(Math.min(longestMs, firstMs * 2 ** doublings), askedMs);
}

/** Keeps those that were turned away from asking again at once: longer after each time, until they are let in. */
export class BackOffs {
  readonly #range: BackOffRange;
  readonly #maxRemembered: number;
  readonly #turnedAway = new Map<string, { until: number; times: number }>();

  /** @param maxRemembered beyond this, the one that was turned away longest ago is forgotten */
  constructor(range: BackOffRange, maxRemembered: number) {
    this.#range = range;
    this.#maxRemembered = maxRemembered;
  }

  /** @returns milliseconds until it may ask; 0 if it may now */
  left(name: string, now: number): number {
    return Math.max(0, (this.#turnedAway.get(name)?.until ?? now) - now);
  }

  turnedAway(name: string, now: number): void {
    const times = (this.#turnedAway.get(name)?.times ?? 0) + 1;
    // Set again at the end, so that the oldest goes first.
    this.#turnedAway.delete(name);
    if (this.#turnedAway.size >= this.#maxRemembered)
      this.#turnedAway.delete(this.#turnedAway.keys().next().value as string);
    this.#turnedAway.set(name, { until: now + backOffMs(this.#range, times), times });
  }

  letIn(name: string): void {
    this.#turnedAway.delete(name);
  }
}
