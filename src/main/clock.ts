import type { Clock } from './ports.ts';

/** The machine's own time. Timers do not keep the process alive: servers and the window do. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Waits for work no longer than a limit. The work itself goes on past it: whoever waits decides what becomes of it.
 * @param ms the limit, on the machine's own time; until then it keeps the process alive
 * @returns whether the work ended in time; what it throws in time is thrown
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
