import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { pause } from './pause.ts';

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('the pause between pieces of work', () => {
  it('interrupts a chain of pieces that are short by themselves', async () => {
    await setImmediate();
    let turns = 0;
    const counting = (async () => {
      for (;;) {
        await setImmediate();
        turns++;
        if (turns === 1_000) return;
      }
    })();
    const piece = async (): Promise<void> => {
      await pause();
      work(3);
    };
    for (let made = 0; made < 12; made++) await piece();
    const interrupted = turns;
    turns = 999;
    await counting;
    // 36 ms of work, of which a turn may take 8 and the piece that goes beyond
    expect(interrupted).toBeGreaterThanOrEqual(3);
  });

  it('lets those that wait take turns, so that a long one holds up none', async () => {
    await setImmediate();
    const order: string[] = [];
    const task = async (name: string): Promise<void> => {
      for (let made = 0; made < 4; made++) {
        work(9);
        order.push(name);
        await pause();
      }
    };
    await Promise.all([task('a'), task('b'), task('c')]);
    expect(order.slice(3).join('')).toBe('abcabcabc');
  });

  it('costs nothing while there is time', async () => {
    await setImmediate();
    await setImmediate();
    expect(pause()).toBeUndefined();
  });
});
