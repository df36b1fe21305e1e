import type { Clock } from './ports/clock.ts';

/** Node's timers take 31 bits and fire at once above that. A caller that waits longer has to check the time again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The system's time. Its timers do not keep the process alive; servers and the window do. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

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
