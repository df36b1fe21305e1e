import type { Clock } from '../ports/clock.ts';

/**
 * A clock that never goes back: where the system's clock is set back, it goes on from where it was. Work that is not to be done before a time
 * then need not wait until the system's clock reaches that time a second time.
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
