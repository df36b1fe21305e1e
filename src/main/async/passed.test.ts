import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { passed } from './passed.ts';

it('passed waits for its time, or until the signal, and leaves neither timer nor listener behind', async () => {
  const timers = new Set<() => void>();
  const clock = {
    after: (_: number, run: () => void) => {
      timers.add(run);
      return () => void timers.delete(run);
    },
  };
  const ending = new AbortController();
  const first = passed(clock, 10, ending.signal);
  for (const run of timers) run();
  await first;
  expect(getEventListeners(ending.signal, 'abort')).toEqual([]);
  expect(timers.size).toBe(0);
  const second = passed(clock, 10, ending.signal);
  expect(timers.size).toBe(1);
  ending.abort();
  await second;
  await passed(clock, 10, ending.signal);
  expect(timers.size).toBe(0);
});
