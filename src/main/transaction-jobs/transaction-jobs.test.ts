import { pino } from 'pino';
import { expect, it } from 'vitest';
import { serializeTx, toHex, txidOf } from '../../chain/index.ts';
import { PlanchetError } from '../../contract/index.ts';
import { createNodeChainData } from '../chain-data/node/node-chain-data.ts';
import { type TrackingTables, trackingMigrations } from '../merchant/tracking/storage/tables.ts';
import { TransactionStore } from '../merchant/tracking/storage/transaction-store.ts';
import { Tracker } from '../merchant/tracking/tracker.ts';
import { NodeRpcError } from '../ports/node.ts';
import { openStore } from '../store/store.ts';
import { StillClock } from '../test-support/still-clock.ts';
import { type JobRow, jobColumns, newJob } from './job-row.ts';
import { TransactionJobs } from './transaction-jobs.ts';

const rawTx = serializeTx({ version: 1, inputs: [], outputs: [], lockTime: 0 });
const txid = txidOf(rawTx);
const block = { hash: 'b'.repeat(64), height: 7 };
const clock = new StillClock(1_000);
const logger = pino({ level: 'silent' });
const patience = { timeout: 60_000, interval: 5 };
const no = (): never => {
  throw new Error('nobody asks');
};

/** Jobs with one that is signed, and what is done with it. @param submit what the miner answers */
async function jobsOf(submit: () => Promise<{ txid: string }>) {
  const store = await openStore<TrackingTables>({
    file: ':memory:',
    migrations: [
      ...trackingMigrations,
      { name: 'jobs', up: async (db) => void (await jobColumns(db.schema.createTable('jobs'), 'jobs').execute()) },
    ],
  });
  const tracker = new Tracker({
    transactions: new TransactionStore({ store, clock, tipHeight: () => 9 }),
    clock,
    logger,
  });
  const done: string[] = [];
  const jobs = new TransactionJobs<JobRow>({
    kind: 'send',
    table: 'jobs',
    network: 'sandbox',
    store,
    wallet: {
      fateOf: () => 'unknown',
      noteSigned: async (owner) => void done.push(`note ${owner}`),
      observe: async () => void done.push('observe'),
      release: async (owner) => void done.push(`release ${owner}`),
    },
    merchant: {
      submit,
      status: async () => ({ known: false, reason: '' }),
      feeQuote: no,
    },
    chainData: createNodeChainData({ call: () => Promise.reject(new NodeRpcError(-5, 'No such transaction')) }),
    tracker,
    clock,
    logger,
    refusals: {
      missing: no,
      wrongState: (state) => new PlanchetError({ code: 'conflict', message: state.key }),
      keyUsed: no,
      otherApproved: no,
    },
    isSame: () => false,
    changed: () => undefined,
  });
  const job = newJob({ id: 'a', network: 'sandbox', idempotency_key: 'k', request: '{}', now: 1 });
  await jobs.journal.insert({ ...job, state: 'signed', raw_tx: toHex(rawTx), txid });
  await tracker.track([{ rawTx, origin: 'wallet' }]);
  const close = async (): Promise<void> => {
    await jobs.stop();
    await store.close();
  };
  return { jobs, tracker, done, close };
}

it('a refused transaction that a block holds after all is mined, and cannot be submitted again as refused', async () => {
  const { jobs, tracker, done, close } = await jobsOf(() =>
    Promise.reject(new PlanchetError({ code: 'rejected', message: 'Missing inputs' })),
  );
  try {
    await jobs.start();
    await expect.poll(() => done, patience).toEqual(['note send:a', 'release send:a']);
    expect(await jobs.get('a')).toMatchObject({ state: 'signed', halted: 1 });
    await tracker.change([txid], () => ({ change: { state: 'proven', block }, events: [] }));
    await expect.poll(() => jobs.get('a'), patience).toMatchObject({ state: 'mined' });
    expect(await jobs.get('a')).toMatchObject({
      halted: 0,
      failure: expect.stringContaining('wallet.refused-mined'),
      block_hash: block.hash,
    });
    expect(done).toEqual(['note send:a', 'release send:a', 'observe']);
    await expect(jobs.retry({ id: 'a' })).rejects.toMatchObject({ code: 'conflict' });
  } finally {
    await close();
  }
});

it('a transaction that no miner could take is submitted again after a pause, until one takes it', async () => {
  let tries = 0;
  const { jobs, close } = await jobsOf(async () => {
    tries += 1;
    if (tries < 3) throw new PlanchetError({ code: 'upstream-unreachable', message: 'away' });
    return { txid };
  });
  try {
    await jobs.start();
    // a second start changes nothing
    await jobs.start();
    for (const expected of [1, 2]) {
      await expect.poll(() => [tries, clock.next], patience).toEqual([expected, 1_000]);
      expect(await jobs.get('a')).toMatchObject({
        state: 'signed',
        halted: 0,
        failure: expect.stringContaining('away'),
      });
      clock.advance(1_000);
    }
    await expect.poll(() => jobs.get('a'), patience).toMatchObject({ state: 'submitted', failure: null });
    // its block may be known already
    clock.advance(1_000);
    await expect.poll(() => [tries, clock.next], patience).toEqual([3, undefined]);
  } finally {
    await close();
  }
});

it('a transaction that lost against another is submitted again by itself, and stops with what the miner says', async () => {
  const { jobs, tracker, close } = await jobsOf(() =>
    Promise.reject(new PlanchetError({ code: 'rejected', message: 'an input was spent' })),
  );
  try {
    await jobs.write('a', { state: 'submitted' });
    await tracker.change([txid], () => ({ change: { state: 'double-spent', block: null }, events: [] }));
    await jobs.start();
    // the look that finds it lost asks for another one, though no news follows
    await expect.poll(() => clock.next, patience).toBe(1_000);
    clock.advance(1_000);
    await expect
      .poll(() => jobs.get('a'), patience)
      .toMatchObject({
        state: 'signed',
        halted: 1,
        failure: expect.stringContaining('an input was spent'),
      });
  } finally {
    await close();
  }
});
