import { describe, expect, it } from 'vitest';
import { Scheduler } from './scheduler.ts';

/** @returns how often work had its turn while `during` went on */
async function turnsTaken(scheduler: Scheduler, during: () => Promise<void>): Promise<number> {
  let taken = 0;
  let over = false;
  const working = (async () => {
    while (!over) {
      await scheduler.next();
      taken += 1;
    }
  })();
  await during();
  over = true;
  await working;
  return taken;
}

async function loopTurns(count: number, each: () => void = () => undefined): Promise<void> {
  for (let n = 0; n < count; n++) {
    each();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('Scheduler', () => {
  /** Callers come at a steady rate for so many milliseconds. @returns scheduler at the end of that */
  function comingAt(perSecond: number, milliseconds: number): Scheduler {
    let now = 0;
    const scheduler = new Scheduler(() => now);
    for (; now < milliseconds; now += 1_000 / perSecond) scheduler.clientArrived();
    return scheduler;
  }

  it('gives work whole pieces while few come, and a part of them while many do', () => {
    const pieces = (scheduler: Scheduler): number[] => [64, 8, 1].map((most) => scheduler.batchSize(most));
    expect(pieces(new Scheduler())).toEqual([64, 8, 1]);
    expect(pieces(comingAt(200, 1_000))).toEqual([64, 8, 1]);
    expect(pieces(comingAt(3_000, 1_000))).toEqual([16, 2, 1]);
  });

  it('makes work rest the longer the more come', () => {
    expect(comingAt(3_000, 1_000).rest(2)).toBeCloseTo(30);
    expect(comingAt(300, 1_000).rest(2)).toBeCloseTo(3);
    expect(comingAt(30_000, 1_000).rest(2)).toBe(30);
  });

  it('lets work catch up when they have come for half a minute', () => {
    const scheduler = comingAt(3_000, 31_000);
    expect(scheduler.rest(10)).toBeCloseTo(20);
    expect(scheduler.batchSize(64)).toBe(64);
  });

  it('lets work go on at every turn of the loop while nobody comes, rarely while somebody does, and always now and then', async () => {
    const scheduler = new Scheduler();
    expect(await turnsTaken(scheduler, () => loopTurns(1_000))).toBeGreaterThan(400);
    const began = performance.now();
    let loops = 0;
    const busy = async (): Promise<void> => {
      while (loops < 1_000 || performance.now() - began < 60) {
        await loopTurns(1, () => scheduler.clientArrived());
        loops += 1;
      }
    };
    const taken = await turnsTaken(scheduler, busy);
    expect(taken).toBeGreaterThan(0);
    // A rest is five milliseconds at least; the first and the last turn may come without one.
    expect(taken).toBeLessThan(Math.min(loops, (performance.now() - began) / 5 + 3));
  });
});
