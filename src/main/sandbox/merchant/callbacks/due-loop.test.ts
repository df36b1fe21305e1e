import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { StillClock } from '../../../test-support/still-clock.ts';
import { DueLoop } from './due-loop.ts';

const START = 1_000_000;

/** A loop whose looks the test answers one by one. */
function openLoop() {
  const clock = new StillClock(START);
  const logged: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
  const looks: PromiseWithResolvers<number | undefined>[] = [];
  const look = (): Promise<number | undefined> => {
    const answer = Promise.withResolvers<number | undefined>();
    looks.push(answer);
    return answer.promise;
  };
  const loop = new DueLoop({ clock, logger, look });
  /** Answers the newest look: when more is due. */
  const answer = async (next?: number): Promise<void> => {
    looks.at(-1)?.resolve(next);
    await nextTurn();
  };
  return { clock, logged, looks, loop, answer };
}

describe('DueLoop', () => {
  it('checks the queue at once, and again when the next message is due, not before', async () => {
    const { clock, looks, loop, answer } = openLoop();
    loop.wake();
    expect(looks).toHaveLength(1);
    await answer(START + 500);
    clock.advance(499);
    expect(looks).toHaveLength(1);
    clock.advance(1);
    expect(looks).toHaveLength(2);
    await answer();
    expect(clock.next).toBeUndefined();
  });

  it('checks once more if messages arrived during a check, however many', async () => {
    const { looks, loop, answer } = openLoop();
    for (let n = 0; n < 3; n++) loop.wake();
    expect(looks).toHaveLength(1);
    await answer();
    expect(looks).toHaveLength(2);
    await answer();
    expect(looks).toHaveLength(2);
  });

  it('waits for the message that is due first: a later check replaces the timer of an earlier one', async () => {
    const { clock, looks, loop, answer } = openLoop();
    loop.wake();
    await answer(START + 60_000);
    loop.wake();
    await answer(START + 20);
    expect(clock.next).toBe(20);
    clock.advance(20);
    expect(looks).toHaveLength(3);
    await answer();
    clock.advance(100_000);
    expect(looks).toHaveLength(3);
  });

  it('checks again a second after it could not read the queue, and logs the failure', async () => {
    const { clock, logged, looks, loop } = openLoop();
    loop.wake();
    looks[0]?.reject(new Error('the disk is full'));
    await nextTurn();
    expect(logged.join()).toContain('the disk is full');
    clock.advance(999);
    expect(looks).toHaveLength(1);
    clock.advance(1);
    expect(looks).toHaveLength(2);
  });

  it('checks again when a delivery has ended, or a second after one failed', async () => {
    const { clock, logged, looks, loop } = openLoop();
    const [good, bad] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    loop.run(good.promise);
    loop.run(bad.promise);
    expect([loop.senders, looks.length]).toEqual([2, 0]);
    bad.reject(new Error('out of memory'));
    await nextTurn();
    expect([loop.senders, looks.length]).toEqual([1, 0]);
    expect(logged.join()).toContain('out of memory');
    clock.advance(1_000);
    expect(looks).toHaveLength(1);
    looks[0]?.resolve(undefined);
    good.resolve();
    await nextTurn();
    expect([loop.senders, looks.length]).toEqual([0, 2]);
  });

  it('stops once the running check and deliveries have ended, and checks no more', async () => {
    const { clock, looks, loop, answer } = openLoop();
    const work = Promise.withResolvers<void>();
    loop.run(work.promise);
    loop.wake();
    let isStopped = false;
    const stopped = loop.stop().then(() => {
      isStopped = true;
    });
    await answer(START + 1);
    expect(isStopped).toBe(false);
    work.reject(new Error('cut off'));
    await stopped;
    loop.wake();
    clock.advance(10_000);
    expect([looks.length, clock.next]).toEqual([1, undefined]);
  });
});
