import { setImmediate } from 'node:timers/promises';
import { vi } from 'vitest';

/**
 * Runs work that yields by `pause` and counts the turns of the event loop it takes. The clock moves one millisecond each time it is looked
 * at, so the number follows from the steps of the work and not from the speed of the machine.
 */
export async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let at = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => at++);
  try {
    let going = true;
    const done = work().finally(() => {
      going = false;
    });
    let turns = 0;
    for (; going; turns++) await setImmediate();
    await done;
    return turns;
  } finally {
    clock.mockRestore();
  }
}
