import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serializeTx, toHex, txidOf } from '../../chain/index.ts';
import { PlanchetError } from '../../contract/index.ts';
import { createNodeChainData } from '../chain-data/node/node-chain-data.ts';
import { type TrackingTables, trackingMigrations } from '../merchant/tracking/storage/tables.ts';
import { TransactionStore } from '../merchant/tracking/storage/transaction-store.ts';
import { Tracker } from '../merchant/tracking/tracker.ts';
import { NodeRpcError } from '../ports/node.ts';
import { openStore, type SqliteStore } from '../store/store.ts';
import { StillClock } from '../test-support/still-clock.ts';
import { Delivery, type DeliveryPoint } from './delivery.ts';
import { JobJournal } from './job-journal.ts';
import { type JobRow, jobColumns, newJob } from './job-row.ts';

const rawTx = serializeTx({ version: 1, inputs: [], outputs: [], lockTime: 0 });
const txid = txidOf(rawTx);
const block = { hash: 'b'.repeat(64), height: 7 };
const clock = new StillClock(1_000);
const logger = pino({ level: 'silent' });

let folder: string;
let store: SqliteStore<TrackingTables>;
let journal: JobJournal<JobRow>;
let tracker: Tracker;
let delivery: Delivery<JobRow>;
/** What the miner answers with; undefined accepts. */
let refusal: PlanchetError | undefined;
/** Whether the node has the transaction. */
let isKnown: boolean;
let nodeSays: NodeRpcError;
/** Whether the first miner has it; undefined where it gives no answer. */
let isWithMiner: boolean | undefined;
/** Whether the wallet cannot be written. */
let isFull: boolean;
/** What was done, in order. */
let done: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-delivery-'));
  store = await openStore<TrackingTables>({
    file: join(folder, 'app.db'),
    migrations: [
      ...trackingMigrations,
      { name: 'jobs', up: async (db) => void (await jobColumns(db.schema.createTable('jobs'), 'jobs').execute()) },
    ],
  });
  journal = new JobJournal<JobRow>(store, 'jobs', 'sandbox');
  tracker = new Tracker({ transactions: new TransactionStore({ store, clock, tipHeight: () => 9 }), clock, logger });
  [refusal, isKnown, isWithMiner, isFull, done] = [undefined, false, false, false, []];
  nodeSays = new NodeRpcError(-5, 'No such transaction');
  delivery = new Delivery({
    journal,
    tracker,
    logger,
    origin: 'wallet',
    wallet: {
      noteSigned: async (owner) => void done.push(`note ${owner}`),
      observe: async () => void done.push('observe'),
      release: async (owner) => {
        if (isFull) throw new Error('full');
        done.push(`release ${owner}`);
      },
    },
    merchant: {
      submit: async () => {
        done.push('submit');
        if (refusal !== undefined) throw refusal;
        return { txid };
      },
      feeQuote: () => Promise.reject(new Error('nobody asks')),
      status: async () => {
        if (isWithMiner === undefined) throw new PlanchetError({ code: 'upstream-timeout', message: 'no answer' });
        return isWithMiner ? { known: true, blockHash: null, blockHeight: null } : { known: false, reason: '' };
      },
    },
    chainData: createNodeChainData({
      call: <T>() => (isKnown ? Promise.resolve({} as T) : Promise.reject(nodeSays)),
    }),
    ownerOf: (id) => `job ${id}`,
    write: (id, values) => journal.update(id, values).then(() => undefined),
    crashPoint: (where: DeliveryPoint) => void done.push(where),
  });
  const job = newJob({ id: 'a', network: 'sandbox', idempotency_key: 'k', request: '{}', now: 1 });
  await journal.insert({ ...job, state: 'signed', raw_tx: toHex(rawTx), txid, review: '{"fee":42}' });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const row = async (): Promise<JobRow> => (await journal.find('a')) as JobRow;
const failure = async () => JSON.parse((await row()).failure ?? 'null');

describe('the delivery of a signed transaction', () => {
  it('has the wallet know it and let go of its coins before the job counts as submitted', async () => {
    await delivery.submit(await row());
    expect(done).toEqual(['note job a', 'submit', 'sent', 'observe', 'release job a', 'seen', 'submitted']);
    expect(await row()).toMatchObject({ state: 'submitted', halted: 0, failure: null });
  });

  it('stops for good and frees the coins where the miner refuses it and the node does not have it', async () => {
    refusal = new PlanchetError({ code: 'rejected', message: 'bad-txns' });
    await delivery.submit(await row());
    expect(done).toEqual(['note job a', 'submit', 'release job a']);
    expect(await row()).toMatchObject({ state: 'signed', halted: 1 });
    expect(await failure()).toMatchObject({ code: 'rejected', message: 'bad-txns' });
  });

  it('is submitted again where the coins of a refused one could not be freed, and frees them then', async () => {
    refusal = new PlanchetError({ code: 'rejected', message: 'bad-txns' });
    isFull = true;
    await expect(delivery.submit(await row())).rejects.toThrow('full');
    expect(await row()).toMatchObject({ state: 'signed', halted: 0 });
    isFull = false;
    await delivery.submit(await row());
    expect(done).toEqual(['note job a', 'submit', 'note job a', 'submit', 'release job a']);
    expect(await row()).toMatchObject({ state: 'signed', halted: 1 });
  });

  it('counts as submitted where the miner refuses what the node has already', async () => {
    refusal = new PlanchetError({ code: 'rejected', message: 'Transaction already known' });
    isKnown = true;
    await delivery.submit(await row());
    expect(await row()).toMatchObject({ state: 'submitted', halted: 0, failure: null });
  });

  it('counts as submitted where a miner refuses what another one took, whose answer was lost', async () => {
    refusal = new PlanchetError({ code: 'rejected', message: 'Missing inputs' });
    isWithMiner = true;
    await delivery.submit(await row());
    expect(await row()).toMatchObject({ state: 'submitted', halted: 0, failure: null });
  });

  it('keeps its coins and may be sent again where one miner refuses it and another, which may have it, is silent', async () => {
    refusal = new PlanchetError({ code: 'rejected', message: 'Missing inputs' });
    isWithMiner = undefined;
    await delivery.submit(await row());
    expect(done).toEqual(['note job a', 'submit']);
    expect(await row()).toMatchObject({ state: 'signed', halted: 0 });
    expect(await failure()).toMatchObject({ code: 'upstream-timeout' });
    isWithMiner = false;
    await delivery.submit(await row());
    expect(done).toEqual(['note job a', 'submit', 'note job a', 'submit', 'release job a']);
    expect(await row()).toMatchObject({ state: 'signed', halted: 1 });
  });

  it('keeps its coins and may be sent again where the node is still starting and cannot say whether it has it', async () => {
    refusal = new PlanchetError({ code: 'rejected', message: 'Transaction already known' });
    nodeSays = new NodeRpcError(-28, 'Loading block index');
    await delivery.submit(await row());
    expect(done).toEqual(['note job a', 'submit']);
    expect(await row()).toMatchObject({ state: 'signed', halted: 0 });
    expect(await failure()).toMatchObject({ code: 'upstream-error' });
  });

  it('counts as submitted where its block is known, whatever the miner says', async () => {
    await tracker.track([{ rawTx, origin: 'wallet' }]);
    await tracker.change([txid], () => ({ change: { state: 'proven', block }, events: [] }));
    refusal = new PlanchetError({ code: 'rejected', message: 'Missing inputs' });
    await delivery.submit(await row());
    expect(await row()).toMatchObject({ state: 'submitted', halted: 0, failure: null });
  });

  it('is mined, and known to the wallet, where a block holds it although the miner refused it', async () => {
    await tracker.track([{ rawTx, origin: 'wallet' }]);
    refusal = new PlanchetError({ code: 'rejected', message: 'Missing inputs' });
    await delivery.submit(await row());
    await delivery.followRefused(await row());
    expect(await row()).toMatchObject({ state: 'signed', halted: 1 });
    await tracker.change([txid], () => ({ change: { state: 'mined', block }, events: [] }));
    done = [];
    await delivery.followRefused(await row());
    expect(done).toEqual(['observe', 'mined']);
    expect(await row()).toMatchObject({ state: 'mined', halted: 0, block_hash: block.hash });
  });

  it('keeps its coins and may be sent again where the miner gave no answer', async () => {
    refusal = new PlanchetError({ code: 'upstream-unreachable', message: 'away' });
    await delivery.submit(await row());
    expect(done).toEqual(['note job a', 'submit']);
    expect(await row()).toMatchObject({ state: 'signed', halted: 0 });
    expect(await failure()).toMatchObject({ code: 'upstream-unreachable' });
    refusal = undefined;
    await delivery.submit(await row());
    expect(await row()).toMatchObject({ state: 'submitted', failure: null });
  });
});

describe('a transaction that was submitted', () => {
  /** The tracker finds it in this state. */
  const found = (state: 'mined' | 'double-spent' | 'stale' | 'seen', place: typeof block | null) =>
    tracker.change([txid], () => ({ change: { state, block: place }, events: [] }));

  beforeEach(async () => {
    await journal.update('a', { state: 'submitted' });
  });

  it('is tracked with its fee under the name of its service, where it was not tracked yet', async () => {
    await delivery.follow(await row());
    expect(await tracker.get(txid)).toMatchObject({ origin: 'wallet', fee: 42, state: 'queued' });
    expect(await row()).toMatchObject({ state: 'submitted' });
  });

  it('is mined once a block holds it', async () => {
    await delivery.follow(await row());
    await found('seen', null);
    await delivery.follow(await row());
    expect(await row()).toMatchObject({ state: 'submitted' });
    await found('mined', block);
    await delivery.follow(await row());
    expect(await row()).toMatchObject({ state: 'mined', block_hash: block.hash, block_height: 7 });
  });

  it('is submitted again where another one won, so that the miner says why it is refused', async () => {
    await delivery.follow(await row());
    await found('double-spent', block);
    await delivery.follow(await row());
    expect(await row()).toMatchObject({ state: 'signed', block_hash: null });
  });

  it('is submitted again after a reorganisation took it out of its block, also one before the start', async () => {
    await delivery.follow(await row());
    await journal.update('a', { state: 'mined', block_hash: block.hash, block_height: block.height });
    await found('stale', null);
    await delivery.watchMined();
    expect(await row()).toMatchObject({ state: 'signed', block_hash: null, block_height: null });

    await journal.update('a', { state: 'mined', block_hash: block.hash, block_height: block.height });
    await delivery.watchMined();
    expect(await row()).toMatchObject({ state: 'mined' });
    delivery.doubt(txid);
    await delivery.watchMined();
    expect(await row()).toMatchObject({ state: 'signed', block_hash: null });
  });

  it.each(['is doubted again after its state was read', 'was doubted by a look that failed'])(
    'is submitted again after a reorganisation, where it %s',
    async (what) => {
      await delivery.follow(await row());
      await found('mined', block);
      await delivery.follow(await row());
      await delivery.watchMined();
      const { get } = tracker;
      const read = vi.spyOn(tracker, 'get').mockImplementationOnce(async (...asked) => {
        if (what.includes('failed')) throw new Error('cannot be read');
        const before = await get.apply(tracker, asked);
        await found('stale', null);
        delivery.doubt(txid);
        return before;
      });
      delivery.doubt(txid);
      await delivery.watchMined().catch(() => undefined);
      expect(await row()).toMatchObject({ state: 'mined' });
      read.mockRestore();
      await found('stale', null);
      await delivery.watchMined();
      expect(await row()).toMatchObject({ state: 'signed', block_hash: null });
    },
  );

  it('is submitted again where it is doubted before the first look, and is not among the newest', async () => {
    await delivery.follow(await row());
    await journal.update('a', { state: 'mined', block_hash: block.hash, block_height: block.height });
    await found('stale', null);
    vi.spyOn(journal, 'newest').mockResolvedValueOnce([]);
    delivery.doubt(txid);
    await delivery.watchMined();
    expect(await row()).toMatchObject({ state: 'signed', block_hash: null });
  });

  it('stays mined while its block is on the chain', async () => {
    await delivery.follow(await row());
    await found('mined', block);
    await delivery.follow(await row());
    delivery.doubt(txid);
    await delivery.watchMined();
    expect(await row()).toMatchObject({ state: 'mined', block_hash: block.hash });
  });
});
