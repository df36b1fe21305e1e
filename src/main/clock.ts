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
