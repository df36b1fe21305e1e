import { describe, expect, it } from 'vitest';
import { StillClock } from '../../test-support/still-clock.ts';
import { FollowLoop, type FollowLoopOptions } from './follow-loop.ts';

/** Microtasks of one look. */
const STEPS = 5;

async function microtasks(count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) await undefined;
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A loop that takes note of what it does. */
function loopOf(options: Partial<FollowLoopOptions> = {}) {
  const clock = new StillClock(0);
  const listeners = new Set<() => void>();
  const looks: boolean[] = [];
  const troubles: string[] = [];
  const loop = new FollowLoop({
    clock,
    onNews: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    look: async (_, isNews) => {
      looks.push(isNews);
      await microtasks(STEPS);
    },
    pauseMs: () => 1_000,
    onTrouble: (error) => troubles.push((error as Error).message),
    ...options,
  });
  return { loop, clock, looks, troubles, listeners };
}

describe('looks at the chain', () => {
  it('are made again after being asked for at any microtask around the end of one, and never overlap', async () => {
    let [running, most] = [0, 0];
    let begun = 0;
    const { loop } = loopOf({
      look: async () => {
        begun += 1;
        running += 1;
        most = Math.max(most, running);
        await microtasks(STEPS);
        running -= 1;
      },
    });
    void loop.start();
    const lost: number[] = [];
    for (let offset = 0; offset < 30; offset += 1) {
      await settled();
      const before = begun;
      void loop.check();
      await microtasks(offset);
      void loop.check();
      await settled();
      if (begun - before !== 2) lost.push(offset);
    }
    await loop.stop();
    expect([lost, most]).toEqual([[], 1]);
  });

  it('come with each news and after each pause, and know which of both it was', async () => {
    const { loop, clock, looks, listeners } = loopOf();
    void loop.start();
    await settled();
    clock.advance(999);
    await settled();
    expect(looks).toEqual([true]);
    clock.advance(1);
    await settled();
    for (const listener of listeners) listener();
    await settled();
    expect(looks).toEqual([true, false, true]);
  });

  it('come no later than is wanted at any microtask of a look, and of the question for its pause', async () => {
    const late: number[] = [];
    for (let offset = 0; offset < 20; offset += 1) {
      const { loop, clock, looks } = loopOf({ pauseMs: () => microtasks(STEPS).then(() => 60_000) });
      void loop.start();
      await microtasks(offset);
      loop.checkWithin(100);
      await settled();
      clock.advance(100);
      await settled();
      if (looks.length !== 2) late.push(offset);
      await loop.stop();
      expect(clock.next).toBeUndefined();
    }
    expect(late).toEqual([]);
  });

  it('leave what is wanted earlier as it is when something is wanted later', async () => {
    const { loop, clock, looks } = loopOf();
    void loop.start();
    await settled();
    loop.checkWithin(5_000);
    expect(clock.next).toBe(1_000);
    loop.checkWithin(10);
    expect(clock.next).toBe(10);
    expect(looks).toEqual([true]);
  });

  it('are made within what is wanted also where the clock was put ahead while one was awaited', async () => {
    const { loop, clock, looks } = loopOf();
    void loop.start();
    await settled();
    loop.checkWithin(900);
    const before = clock.now.bind(clock);
    clock.now = () => before() + 8 * 3_600_000;
    loop.checkWithin(10);
    expect(clock.next).toBe(10);
    expect(looks).toEqual([true]);
    await loop.stop();
  });

  it('are not made by themselves where there is no pause', async () => {
    const { loop, clock, looks } = loopOf({ pauseMs: () => undefined });
    void loop.start();
    await settled();
    expect([clock.next, looks]).toEqual([undefined, [true]]);
    await loop.check();
    expect(looks).toEqual([true, true]);
  });

  it('end with their signal when the loop is stopped, which nothing is told of, and go on after another start', async () => {
    let signals: AbortSignal[] = [];
    let pauses = 0;
    const { loop, clock, troubles, listeners } = loopOf({
      look: (signal) => {
        signals.push(signal);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
      },
      pauseMs: () => {
        pauses += 1;
        return 1_000;
      },
    });
    void loop.start();
    void loop.start();
    expect([signals.length, listeners.size]).toEqual([1, 1]);
    await loop.stop();
    expect([signals[0]?.aborted, clock.next, listeners.size]).toEqual([true, undefined, 0]);
    await loop.check();
    loop.checkWithin(1);
    expect([signals.length, clock.next, troubles]).toEqual([1, undefined, []]);
    // what it would be found out from may be closed
    expect(pauses).toBe(0);
    signals = [];
    void loop.start();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await loop.stop();
  });
});

describe('a look that fails', () => {
  it('is made again after the pause as one with news, and told once until one succeeds', async () => {
    let reason = 'no node';
    const looks: boolean[] = [];
    const { loop, clock, troubles } = loopOf({
      look: async (_, isNews) => {
        looks.push(isNews);
        if (reason !== '') throw new Error(reason);
      },
    });
    const again = async (): Promise<void> => {
      clock.advance(1_000);
      await settled();
    };
    void loop.start();
    await settled();
    await again();
    expect([looks, troubles, loop.hasTrouble]).toEqual([[true, true], ['no node'], true]);
    reason = 'no room';
    await again();
    reason = '';
    await again();
    expect([looks.length, loop.hasTrouble]).toEqual([4, false]);
    await again();
    reason = 'no room';
    await again();
    expect(troubles).toEqual(['no node', 'no room', 'no room']);
    expect(looks).toEqual([true, true, true, true, false, false]);
  });

  it('keeps no look from being made where even the pause cannot be found out', async () => {
    const { loop, looks, troubles } = loopOf({ pauseMs: () => Promise.reject(new Error('no disk')) });
    void loop.start();
    await settled();
    await loop.check();
    expect([looks.length, troubles]).toEqual([2, ['no disk', 'no disk']]);
  });
});
