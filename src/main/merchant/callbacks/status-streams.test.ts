import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HandClock } from '../../gateway/test-support/hand-clock.ts';
import type { MinerEndpoint, MinerVerdict } from '../../ports/merchant/miners.ts';
import { StatusStreams } from './status-streams.ts';

const verdict = { txid: 'ab'.repeat(32) } as MinerVerdict;
let clock: HandClock;
let streams: StatusStreams;
let usable: MinerEndpoint[];
let taken: string[];
/** Ends the stream that is open, with a failure or as it is. */
let end: ((error?: Error) => void)[];

/** Tells of one transaction whenever it is opened. */
const endpoint = {
  id: 'a',
  name: 'A',
  kind: 'arcade',
  follow: async (take: (verdict: MinerVerdict) => Promise<void>, signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => reject(signal.reason));
    end.push((error) => (error ? reject(error) : resolve()));
    if (end.length !== 2) await take(verdict);
    await promise;
  },
} as unknown as MinerEndpoint;
const plain = { id: 'b', name: 'B', kind: 'arc' } as unknown as MinerEndpoint;

beforeEach(() => {
  clock = new HandClock();
  [taken, end, usable] = [[], [], [endpoint, plain]];
  streams = new StatusStreams({
    miners: { get: (id) => [endpoint, plain].find((one) => one.id === id), usable: () => usable },
    take: async (miner, verdicts) => void taken.push(...verdicts.map(({ txid }) => `${miner.id} ${txid.slice(0, 2)}`)),
    clock,
    logger: pino({ level: 'silent' }),
  });
});
afterEach(() => streams.close());

it('the listener to miners opens the stream of a miner once, and again after it ended, ever later', async () => {
  streams.listen(endpoint);
  streams.listen(endpoint);
  streams.listen(plain);
  streams.listen({ id: 'unknown', name: '', kind: 'arc' });
  expect(end).toHaveLength(1);
  await expect.poll(() => taken).toEqual(['a ab']);
  end[0]?.(new Error('lost'));
  await expect.poll(() => clock.waiting).toBe(2);
  await clock.pass(4_999);
  expect(end).toHaveLength(1);
  await clock.pass(1);
  expect(end).toHaveLength(2);
  // the second told nothing, so the third waits twice as long
  end[1]?.();
  await expect.poll(() => clock.waiting).toBe(2);
  await clock.pass(9_999);
  expect(end).toHaveLength(2);
  await clock.pass(1);
  expect(end).toHaveLength(3);
});

it('the listener to miners leaves a miner that is not used any more, and opens it again with a submission', async () => {
  streams.listen(endpoint);
  usable = [];
  await clock.pass(5_000);
  await expect.poll(() => clock.waiting).toBe(0);
  usable = [endpoint];
  streams.listen(endpoint);
  expect(end).toHaveLength(2);
});

it('the listener to miners opens the stream again where the miner is used again before it was left', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stuck = {
    ...endpoint,
    id: 'c',
    // what it told is still being taken when it is left
    follow: async (_: unknown, signal: AbortSignal) => {
      end.push(() => undefined);
      await new Promise((aborted) => signal.addEventListener('abort', aborted));
      await promise;
    },
  } as unknown as MinerEndpoint;
  streams = new StatusStreams({
    miners: { get: () => stuck, usable: () => usable },
    take: async () => undefined,
    clock,
    logger: pino({ level: 'silent' }),
  });
  usable = [stuck];
  streams.listen(stuck);
  usable = [];
  await clock.pass(5_000);
  usable = [stuck];
  streams.listen(stuck);
  expect(end).toHaveLength(1);
  resolve();
  await expect.poll(() => end).toHaveLength(2);
});

it('the listener to miners ends with the program, and opens nothing after', async () => {
  streams.listen(endpoint);
  await streams.close();
  streams.listen(endpoint);
  expect(end).toHaveLength(1);
  expect(clock.waiting).toBe(0);
});
