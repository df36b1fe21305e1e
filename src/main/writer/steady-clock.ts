import type { Clock } from '../ports/clock.ts';

/**
 * The time as it is reading, but never going back: where the clock is set back, time goes on from where it was, at its own pace. Work that was
 * to be done "not before" a time then need not wait until the clock comes there a second time.
 * @param elapsed milliseconds that only rise, whatever happens to the clock
 */
export function steadyClock(clock: Clock, elapsed: () => number = () => performance.now()): Clock {
  let base = { time: clock.now(), elapsed: elapsed() };
  return {
    now: () => {
      const since = elapsed();
      const reading = clock.now();
      const steady = base.time + Math.floor(since - base.elapsed);
      if (reading <= steady) return steady;
      base = { time: reading, elapsed: since };
      return reading;
    },
    after: (ms, run) => clock.after(ms, run),
  };
}
