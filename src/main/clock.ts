import type { Clock } from './ports/clock.ts';

/** The system's time. Its timers do not keep the process alive; servers and the window do. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Longest wait accepted from another party, whose clock may be wrong. */
const MAX_RETRY_AFTER_MS = 3_600_000;

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

/**
 * Waits for work, but no longer than a limit. The work itself continues after the limit.
 * @param ms the limit in milliseconds, by the system's time; the wait keeps the process alive
 * @returns whether the work ended in time
 * @throws what the work throws in time
 */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), limit]);
  } finally {
    clearTimeout(timer);
  }
}
