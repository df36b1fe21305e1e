import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LiveEvent, Snapshot } from '../../contract/index.ts';
import { EventHub } from './event-hub.ts';
import { HASH } from './test-support/fake-studio.ts';

const tip = (height: number): LiveEvent => ({ type: 'tip', tip: { hash: HASH, height, time: 1 } });
/** A snapshot that contains nothing but the height of the chain when it was taken. */
const snapshotAt = (height: number): Snapshot => ({ tip: { hash: HASH, height, time: 1 } }) as Snapshot;
const heightOf = (event: LiveEvent): number =>
  event.type === 'snapshot'
    ? (event.snapshot.tip?.height as number)
    : (event as { tip: { height: number } }).tip.height;

describe('EventHub', () => {
  it('loses nothing between the snapshot and the events after it', async () => {
    const hub = new EventHub();
    let finish: (snapshot: Snapshot) => void = () => {};
    const stream = hub.subscribe(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    hub.publish(tip(1));
    const first = stream.next();
    hub.publish(tip(2));
    finish(snapshotAt(1));
    expect(await first).toMatchObject({ value: { type: 'snapshot' } });
    expect((await stream.next()).value).toEqual(tip(2));
  });

  it('gives a slow subscriber a fresh snapshot instead of a growing backlog', async () => {
    const hub = new EventHub({ queueLimit: 3 });
    let height = 0;
    const publish = (): void => hub.publish(tip(++height));
    const stream = hub.subscribe(() => snapshotAt(height));
    await stream.next();
    for (let count = 0; count < 5; count += 1) publish();
    expect((await stream.next()).value).toEqual({ type: 'snapshot', snapshot: snapshotAt(5) });
    publish();
    expect((await stream.next()).value).toEqual(tip(6));
  });

  it('shows every subscriber the last state, whatever the order of reading and publishing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('publish', 'read a', 'read b'), { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        async (steps, queueLimit) => {
          const hub = new EventHub({ queueLimit });
          let height = 0;
          const takeSnapshot = async (): Promise<Snapshot> => {
            const taken = height;
            await Promise.resolve();
            return snapshotAt(taken);
          };
          const seen = { a: -1, b: -1 };
          const streams = { a: hub.subscribe(takeSnapshot), b: hub.subscribe(takeSnapshot) };
          const read = async (who: 'a' | 'b'): Promise<void> => {
            const { value } = await streams[who].next();
            const next = heightOf(value as LiveEvent);
            // No gap: an event carries the next height or repeats that of a snapshot; only a snapshot may skip heights.
            if (value?.type !== 'snapshot') expect(next).toBeLessThanOrEqual(seen[who] + 1);
            seen[who] = Math.max(seen[who], next);
          };
          for (const step of steps) {
            if (step === 'publish') hub.publish(tip(++height));
            else if (seen[step === 'read a' ? 'a' : 'b'] < height) await read(step === 'read a' ? 'a' : 'b');
          }
          for (const who of ['a', 'b'] as const) while (seen[who] < height) await read(who);
          hub.close();
        },
      ),
    );
  });

  it('ends a waiting subscriber on abort, return and close', async () => {
    const hub = new EventHub();
    const controller = new AbortController();
    const streams = [
      hub.subscribe(() => snapshotAt(0), controller.signal),
      hub.subscribe(() => snapshotAt(0)),
      hub.subscribe(() => snapshotAt(0)),
    ] as const;
    for (const stream of streams) await stream.next();
    const waiting = streams.map((stream) => stream.next());
    controller.abort();
    await streams[1].return?.();
    expect(hub.size).toBe(1);
    hub.close();
    expect(await Promise.all(waiting)).toEqual(Array(3).fill({ done: true, value: undefined }));
    expect(hub.size).toBe(0);
  });

  it('does not begin under a signal that was aborted before', async () => {
    const hub = new EventHub();
    const stream = hub.subscribe(() => snapshotAt(0), AbortSignal.abort());
    expect(hub.size).toBe(0);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});
