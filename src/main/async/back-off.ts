import { leftUntil } from './left-until.ts';

/** How long to wait before another attempt, in milliseconds: at first, and at most. */
export interface BackOffRange {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Largest random addition to a wait, as a fraction of it, so that clients refused together do not retry together. */
const JITTER = 0.25;
/** Longest wait accepted from another party, whose clock may be wrong. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Above this, doubling further changes nothing: the longest wait is reached. */
const MOST_DOUBLINGS = 30;

/**
 * @param failures attempts that failed in a row, from 1
 * @param askedMs how long the other side asked to wait (`Retry-After`); it is never asked earlier
 * @param random gives 0 up to 1; left out for a wait without jitter
 * @returns milliseconds to wait: twice as long after each failure, up to the longest, and up to a quarter more
 */
export function backOffMs(
  { firstMs, longestMs }: BackOffRange,
  failures: number,
  askedMs = 0,
  random: () => number = () => 0,
): number {
  const doublings = Math.min(MOST_DOUBLINGS, Math.max(0, failures - 1));
  const least = Math.max(Math.min(longestMs, firstMs * 2 ** doublings), askedMs);
  return Math.round(least * (1 + JITTER * random()));
}

/**
 * Reads `Retry-After` of an HTTP response, in seconds or as a date (RFC 9110).
 * @param now time in milliseconds
 * @returns milliseconds, at most an hour; undefined if the header is missing or cannot be read
 */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === '') return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}

/** Delays those that were refused: longer after each refusal, until they are accepted. */
export class BackOffs {
  readonly #range: BackOffRange;
  readonly #maxRemembered: number;
  readonly #turnedAway = new Map<string, { until: number; ms: number; times: number }>();

  /** @param maxRemembered beyond this, the one that was refused longest ago is forgotten */
  constructor(range: BackOffRange, maxRemembered: number) {
    this.#range = range;
    this.#maxRemembered = maxRemembered;
  }

  /** @returns milliseconds until it may ask; 0 if it may now */
  left(name: string, now: number): number {
    const { until, ms } = this.#turnedAway.get(name) ?? { until: now, ms: 0 };
    return leftUntil(until, now, ms);
  }

  turnedAway(name: string, now: number): void {
    const times = (this.#turnedAway.get(name)?.times ?? 0) + 1;
    // Set again at the end, so that the oldest goes first.
    this.#turnedAway.delete(name);
    if (this.#turnedAway.size >= this.#maxRemembered)
      this.#turnedAway.delete(this.#turnedAway.keys().next().value as string);
    const ms = backOffMs(this.#range, times);
    this.#turnedAway.set(name, { until: now + ms, ms, times });
  }

  letIn(name: string): void {
    this.#turnedAway.delete(name);
  }
}
