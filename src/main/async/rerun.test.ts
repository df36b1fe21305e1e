import { describe, expect, it } from 'vitest';
import { Rerun } from './rerun.ts';

/** Microtasks of one run, and more than enough around its end. */
const STEPS = 5;
const OFFSETS = Array.from({ length: 20 }, (_, offset) => offset);

async function microtasks(count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) await undefined;
}

describe('work that is run again', () => {
  it.each(OFFSETS)('is run after a wake-up that comes %i microtasks after the first', async (offset) => {
    let begun = 0;
    const rerun = new Rerun({
      work: () => {
        begun += 1;
        return microtasks(STEPS);
      },
      onError: (error) => expect.unreachable(String(error)),
    });
    void rerun.wake();
    await microtasks(offset);
    expect(begun).toBe(1);
    void rerun.wake();
    await microtasks(50);
    expect(begun).toBe(2);
  });

  it.each(OFFSETS)(
    'is idle %i microtasks after a wake-up only where another one begins a run at once',
    async (offset) => {
      let begun = 0;
      const rerun = new Rerun({
        work: () => {
          begun += 1;
          return microtasks(STEPS);
        },
        onError: (error) => expect.unreachable(String(error)),
      });
      expect(rerun.isIdle).toBe(true);
      void rerun.wake();
      await microtasks(offset);
      const { isIdle } = rerun;
      void rerun.wake();
      expect(begun).toBe(isIdle ? 2 : 1);
    },
  );

  it.each(OFFSETS)('tells who asks %i microtasks after the first when their own run has ended', async (offset) => {
    let [begun, ended] = [0, 0];
    const rerun = new Rerun({
      work: async () => {
        begun += 1;
        await microtasks(STEPS);
        ended += 1;
      },
      onError: (error) => expect.unreachable(String(error)),
    });
    void rerun.wake();
    await microtasks(offset);
    await rerun.wake();
    expect([begun, ended]).toEqual([2, 2]);
  });

  it.each(OFFSETS)('begins no run after a stop that comes %i microtasks after a wake-up', async (offset) => {
    let [begun, ended] = [0, 0];
    const rerun = new Rerun({
      work: async () => {
        begun += 1;
        await microtasks(STEPS);
        ended += 1;
      },
      onError: (error) => expect.unreachable(String(error)),
    });
    void rerun.wake();
    void rerun.wake();
    await microtasks(offset);
    const before = begun;
    await rerun.stop();
    expect([begun, ended]).toEqual([before, before]);
    void rerun.wake();
    await microtasks(50);
    expect(begun).toBe(before);
  });

  it.each(['at once', 'later'])('goes on after an error that is thrown %s', async (when) => {
    const errors: unknown[] = [];
    let begun = 0;
    const rerun = new Rerun({
      work: () => {
        begun += 1;
        if (when === 'at once') throw new Error('no room');
        return Promise.reject(new Error('no room'));
      },
      onError: (error) => errors.push(error),
    });
    void rerun.wake();
    await microtasks(10);
    void rerun.wake();
    await microtasks(10);
    expect([begun, errors.length]).toEqual([2, 2]);
  });

  it('runs once for any number of wake-ups during a run, and never twice at a time', async () => {
    let [running, most, begun] = [0, 0, 0];
    const rerun = new Rerun({
      work: async () => {
        begun += 1;
        running += 1;
        most = Math.max(most, running);
        await microtasks(STEPS);
        running -= 1;
      },
      onError: (error) => expect.unreachable(String(error)),
    });
    for (let n = 0; n < 4; n += 1) void rerun.wake();
    await microtasks(50);
    expect([begun, most]).toEqual([2, 1]);
  });
});
