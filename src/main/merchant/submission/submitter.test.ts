import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { txidOf } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { MinerEndpoint, Miners, MinerVerdict } from '../../ports/merchant/miners.ts';
import { openStore, type SqliteStore } from '../../store/store.ts';
import { failedVerdict } from '../protocols/mapi/verdicts.ts';
import { refusalError } from '../refusals.ts';
import { type TrackingTables, trackingMigrations } from '../tracking/storage/tables.ts';
import { TransactionStore } from '../tracking/storage/transaction-store.ts';
import { Tracker } from '../tracking/tracker.ts';
import { Submitter } from './submitter.ts';

const rawTx = (n: number): Uint8Array => Uint8Array.from([1, 0, 0, 0, 0, 0, n & 255, n >> 8, 0, 0]);
const logger = pino({ level: 'silent' });
const clock = { now: () => 1_000, after: () => () => undefined };

let store: SqliteStore<TrackingTables>;
let tracker: Tracker;
let transactions: TransactionStore;
/** Sizes of the batches that each miner got. */
let sent: Record<string, number[]>;

beforeEach(async () => {
  sent = {};
  store = await openStore<TrackingTables>({ file: ':memory:', migrations: trackingMigrations });
  transactions = new TransactionStore({ store, clock, tipHeight: () => null });
  tracker = new Tracker({ transactions, clock, logger });
});
afterEach(() => store.close());

type Answer = 'accepted' | 'rejected' | 'unclear' | 'full' | 'down';

const answered = { raw: '{}', signature: 'valid' } as const;

function verdict(txid: string, answer: Exclude<Answer, 'down'>): MinerVerdict {
  if (answer === 'full') return failedVerdict(txid, refusalError('66 mempool full') as PlanchetError, answered);
  const code = answer === 'rejected' ? 'rejected' : 'upstream-error';
  const failure = answer === 'accepted' ? null : new PlanchetError({ code, message: answer }).toFailure();
  const reason = failure && { code, text: answer, advice: '', retriedByItself: false };
  const nothing = { block: null, bump: null, conflicts: [], raw: '{}', signature: 'valid' } as const;
  return { ...nothing, txid, status: answer, word: answer, reason, failure };
}

function miner(
  id: string,
  answer: (n: number) => Answer,
  release: Promise<unknown> = Promise.resolve(),
): MinerEndpoint {
  return {
    id,
    name: id,
    kind: 'mapi',
    quote: () => Promise.reject(new Error('not asked')),
    status: () => Promise.reject(new Error('not asked')),
    submit: async (batch) => {
      sent[id] = [...(sent[id] ?? []), batch.length];
      await release;
      return batch.map(({ txid, rawTx: raw }) => {
        const kind = answer((raw[6] ?? 0) + ((raw[7] ?? 0) << 8));
        if (kind === 'down') throw new PlanchetError({ code: 'upstream-unreachable', message: 'down' });
        return verdict(txid, kind);
      });
    },
  };
}

function submitter(...endpoints: MinerEndpoint[]): Submitter {
  const miners: Miners = {
    list: async () => [],
    usable: () => endpoints,
    get: (id) => endpoints.find((endpoint) => endpoint.id === id),
  };
  return new Submitter({ miners, tracker, clock, logger });
}

const requests = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ rawTx: rawTx(n), origin: 'manual' as const }));

describe('submitting to miners', () => {
  it('asks the next miner only for what the first could not settle', async () => {
    const answers: Answer[] = ['accepted', 'rejected', 'unclear'];
    const first = miner('a', (n) => answers[n] as Answer);
    const results = await submitter(
      first,
      miner('b', () => 'accepted'),
    ).submit(requests(3));
    expect(sent).toEqual({ a: [3], b: [1] });
    expect(results.map(({ error }) => error?.code)).toEqual([undefined, 'rejected', undefined]);
    const states = await Promise.all(results.map(({ txid }) => tracker.get(txid)));
    expect(states.map((transaction) => transaction?.state)).toEqual(['submitted', 'failed', 'submitted']);
  });

  it.each([
    ['first', 'full'],
    ['all', 'rejected'],
    ['race', 'rejected'],
  ] as const)('does not call failed what another miner is being asked for (%s)', async (strategy, refusal) => {
    const taken = Promise.withResolvers<void>();
    const states: string[] = [];
    tracker.onChange(({ transaction }) => states.push(transaction.state));
    const refusing = miner('a', () => refusal);
    const taking = miner('b', () => 'accepted', taken.promise);
    const sending = submitter(refusing, taking).submit([{ rawTx: rawTx(1), origin: 'wallet' }], { strategy });
    await expect.poll(() => sent).toEqual({ a: [1], b: [1] });
    taken.resolve();
    const [result] = await sending;
    expect(result).toMatchObject({ error: undefined, answers: [{ minerId: 'a' }, { minerId: 'b' }] });
    await expect.poll(async () => (await transactions.find(result?.txid as string))?.answers).toHaveLength(2);
    expect(states).toEqual(['queued', 'submitted']);
    const [refused] = await submitter(
      refusing,
      miner('c', () => refusal),
    ).submit([{ rawTx: rawTx(2), origin: 'wallet' }], { strategy });
    expect(await tracker.get(refused?.txid as string)).toMatchObject({ state: 'failed' });
  });

  it('asks the next miner where one has no room, and says so only where no other settles it', async () => {
    const full = miner('a', () => 'full');
    const resultWith = async (n: number, ...others: MinerEndpoint[]) =>
      (await submitter(full, ...others).submit([{ rawTx: rawTx(n), origin: 'manual' }]))[0];
    const taken = await resultWith(
      1,
      miner('b', () => 'accepted'),
    );
    expect(taken).toMatchObject({ error: undefined, verdict: { status: 'accepted' } });
    expect(await tracker.get(taken?.txid as string)).toMatchObject({ state: 'submitted', reason: null });
    // Another miner's word on what it is counts before that; one that fails says nothing.
    const refused = await resultWith(
      2,
      miner('b', () => 'rejected'),
      miner('c', () => 'accepted'),
    );
    expect(refused).toMatchObject({ error: { message: 'rejected' }, answers: [{}, {}] });
    const alone = [
      await resultWith(3),
      await resultWith(
        4,
        miner('b', () => 'down'),
      ),
    ];
    for (const result of alone) {
      expect(result?.error).toMatchObject({ code: 'rejected', detail: { refusal: 'no-room' } });
      const waiting = await tracker.get(result?.txid as string);
      expect(waiting).toMatchObject({
        state: 'evicted',
        reason: { code: 'no-room' },
        nextAttemptAt: 1_000 + 3_600_000,
      });
    }
  });

  it('goes on to the next miner where one cannot be reached, and says so where none can', async () => {
    const down = miner('a', () => 'down');
    expect(
      (
        await submitter(
          down,
          miner('b', () => 'accepted'),
        ).submit(requests(1))
      )[0]?.error,
    ).toBeUndefined();
    const [result] = await submitter(down).submit([{ rawTx: rawTx(9), origin: 'manual' }]);
    expect(result?.error?.code).toBe('upstream-unreachable');
    expect(await tracker.get(txidOf(rawTx(9)))).toMatchObject({ state: 'queued', reason: { retriedByItself: true } });
    await expect(submitter().submit(requests(1))).rejects.toMatchObject({ code: 'upstream-unreachable' });
  });

  it('sends to all, and an acceptance counts before a refusal', async () => {
    const both = submitter(
      miner('a', () => 'rejected'),
      miner('b', () => 'accepted'),
    );
    const [result] = await both.submit(requests(1), { strategy: 'all' });
    expect(result?.error).toBeUndefined();
    const { events, state } = await transactions.get({ txid: result?.txid as string });
    expect(state).toBe('submitted');
    expect(
      events
        .filter(({ kind }) => kind === 'answer')
        .map(({ answer }) => answer?.minerId)
        .sort(),
    ).toEqual(['a', 'b']);
  });

  it('returns from a race with the first that accepts, and still records the others', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const race = submitter(
      miner('slow', () => 'rejected', promise),
      miner('quick', () => 'accepted'),
    );
    const [result] = await race.submit(requests(1), { strategy: 'race' });
    expect(result?.verdict?.word).toBe('accepted');
    const noted = new Promise<void>((done) => {
      const answered = tracker.answered.bind(tracker);
      tracker.answered = async (...args) => {
        await answered(...args);
        done();
      };
    });
    resolve();
    await noted;
    expect((await transactions.get({ txid: result?.txid as string })).events).toHaveLength(3);
  });

  it('leaves no unhandled rejection where an answer after a race cannot be recorded', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    const listeners = process.rawListeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
    try {
      const { promise, resolve } = Promise.withResolvers<void>();
      const failed = Promise.withResolvers<void>();
      const answered = tracker.answered.bind(tracker);
      tracker.answered = async (who, ...rest) => {
        if (who.id === 'slow') failed.resolve();
        if (who.id === 'slow') throw new PlanchetError({ code: 'store-failed', message: 'closed' });
        await answered(who, ...rest);
      };
      const race = submitter(
        miner('slow', () => 'accepted', promise),
        miner('quick', () => 'accepted'),
      );
      expect((await race.submit(requests(1), { strategy: 'race' }))[0]?.error).toBeUndefined();
      resolve();
      await failed.promise;
      // Node reports an unhandled rejection before the next turn of its loop
      await new Promise((done) => setImmediate(done));
      expect(unhandled).toEqual([]);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const listener of listeners) process.on('unhandledRejection', listener as (reason: unknown) => void);
    }
  });

  it('divides what is too much for one request, and writes a transaction once', async () => {
    const one = submitter(miner('a', () => 'accepted'));
    await one.submit(requests(2_001));
    expect(sent.a).toEqual([500, 500, 500, 500, 1]);
    await one.submit(requests(1));
    expect(await transactions.counts()).toEqual({ submitted: 2_001 });
  });

  it('keeps what a miner said of the others where it fails when it is asked again without callbacks', async () => {
    const text = 'this instance of mAPI does not support callbacks';
    const failure = new PlanchetError({ code: 'rejected', message: text }).toFailure();
    const reason = { code: 'other', text, advice: '', retriedByItself: false };
    const endpoint: MinerEndpoint = {
      ...miner('a', () => 'accepted'),
      submit: async (batch, options) => {
        if (options?.callback === undefined) throw new PlanchetError({ code: 'upstream-timeout', message: 'late' });
        return batch.map(({ txid }, n) =>
          n === 0 ? verdict(txid, 'accepted') : { ...verdict(txid, 'rejected'), reason, failure },
        );
      },
    };
    const miners: Miners = { list: async () => [], usable: () => [endpoint], get: () => endpoint };
    const callback = { url: 'http://127.0.0.1:1/x', token: 'y' };
    const submitter = new Submitter({ miners, tracker, clock, logger, expect: () => ({ callback }) });
    const results = await submitter.submit(requests(2));
    expect(results.map(({ error }) => error?.code)).toEqual([undefined, 'upstream-timeout']);
    expect((await tracker.get(txidOf(rawTx(0))))?.state).toBe('submitted');
    expect((await tracker.get(txidOf(rawTx(1))))?.state).toBe('queued');
  });

  it('asks for callbacks of a few transactions, and sends without where the miner refuses those', async () => {
    const asked: unknown[] = [];
    const endpoint = miner('a', () => 'accepted');
    const { submit } = endpoint;
    endpoint.submit = async (batch, options) => {
      asked.push([batch.length, options]);
      const verdicts = await submit(batch, options);
      if (options?.callback === undefined) return verdicts;
      const text = 'Transaction already submitted with different parameters.';
      const failure = new PlanchetError({ code: 'rejected', message: text }).toFailure();
      const reason = { code: 'duplicate-request', text, advice: '', retriedByItself: false };
      return verdicts.map((one, n) => (n === 0 ? { ...one, status: 'rejected', reason, failure } : one));
    };
    const callback = { url: 'http://127.0.0.1:1/x', token: 'y' };
    const miners: Miners = { list: async () => [], usable: () => [endpoint], get: () => endpoint };
    const submitter = new Submitter({ miners, tracker, clock, logger, expect: () => ({ callback, dsCheck: true }) });
    const results = await submitter.submit(requests(2));
    expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
    await submitter.submit(requests(26));
    expect(asked).toEqual([
      [2, { callback, dsCheck: true }],
      [1, undefined],
      [26, undefined],
    ]);
  });

  it('looks up what the miner holds with options of before, which is no refusal', async () => {
    const text = 'Transaction already submitted with different parameters.';
    const failure = new PlanchetError({ code: 'rejected', message: text }).toFailure();
    const reason = { code: 'duplicate-request', text, advice: '', retriedByItself: false };
    let known: MinerVerdict['status'] = 'seen';
    const endpoint: MinerEndpoint = {
      ...miner('a', () => 'rejected'),
      submit: async (batch) => batch.map(({ txid }) => ({ ...verdict(txid, 'rejected'), reason, failure })),
      status: async (txid) => ({ ...verdict(txid, 'accepted'), status: known }),
    };
    const miners: Miners = { list: async () => [], usable: () => [endpoint], get: () => endpoint };
    const expected = { callback: { url: 'http://127.0.0.1:1/x', token: 'y' } };
    const one = new Submitter({ miners, tracker, clock, logger, expect: () => expected });
    for (const [n, from] of (['queued', 'evicted', 'stale'] as const).entries()) {
      const txid = txidOf(rawTx(n));
      await tracker.track([{ rawTx: rawTx(n), origin: 'manual' }]);
      for (const [status, state, code] of [
        ['unknown', from, 'upstream-error'],
        ['seen', 'submitted', undefined],
      ] as const) {
        known = status;
        await tracker.change([txid], () => ({ change: { state: from }, events: [] }));
        const [result] = await one.submit([{ rawTx: rawTx(n), origin: 'manual' }]);
        expect(result?.error?.code).toBe(code);
        expect((await tracker.get(txid))?.state).toBe(state);
      }
    }
  });

  it('refuses a miner that is not set up before anything is journalled', async () => {
    const failing = submitter(miner('a', () => 'accepted')).submit(requests(1), { minerIds: ['b'] });
    await expect(failing).rejects.toMatchObject({ code: 'not-found' });
    expect((await transactions.list({})).transactions).toEqual([]);
  });
});
