import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toHex, txidOf } from '../../../chain/index.ts';
import { MAX_LAST_ANSWERS } from '../../../contract/index.ts';
import type { MinerVerdict } from '../../ports/merchant/miners.ts';
import { openStore } from '../../store/store.ts';
import { type TrackingTables, trackingMigrations } from './storage/tables.ts';
import { TransactionStore } from './storage/transaction-store.ts';
import { Tracker } from './tracker.ts';

const rawTx = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
const txid = txidOf(rawTx);
const clock = { now: () => 1_000, after: () => () => undefined };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-answers-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const openTables = (migrations = trackingMigrations) =>
  openStore<TrackingTables>({ file: join(folder, 'transactions.db'), migrations });

async function open() {
  const store = await openTables();
  const transactions = new TransactionStore({ store, clock, tipHeight: () => null });
  const tracker = new Tracker({ transactions, clock, logger: pino({ level: 'silent' }) });
  return { store, transactions, tracker };
}

const miner = (n: number) => ({ id: `m${n}`, name: `Miner ${n}`, kind: 'arc' }) as const;
const said = (word: string, status: MinerVerdict['status']): MinerVerdict => {
  const nothing = { block: null, bump: null, conflicts: [], raw: '', signature: 'none', failure: null } as const;
  return { ...nothing, txid, status, word, reason: null };
};
const mark = (n: number, status: string, accepted: boolean) => ({
  minerId: `m${n}`,
  name: `Miner ${n}`,
  status,
  accepted,
});

describe('the last answer of each miner', () => {
  it('stands with the transaction in a list, in the order in which miners first answered', async () => {
    const { store, transactions, tracker } = await open();
    await tracker.track([{ rawTx, origin: 'manual' }]);
    await tracker.answered(miner(2), 'submit', [said('RECEIVED', 'accepted')]);
    await tracker.answered(miner(1), 'submit', [said('REJECTED', 'rejected')]);
    await tracker.answered(miner(2), 'callback', [said('SEEN_ON_NETWORK', 'seen')]);
    const { transactions: listed } = await transactions.list({});
    expect(listed[0]?.answers).toEqual([mark(2, 'SEEN_ON_NETWORK', true), mark(1, 'REJECTED', false)]);
    for (let n = 3; n < 20; n++) await tracker.answered(miner(n), 'status', [said('MINED', 'mined')]);
    expect((await transactions.find(txid))?.answers).toHaveLength(MAX_LAST_ANSWERS);
    await store.close();
  });

  it('is read from the history of an earlier version', async () => {
    const before = await openTables(trackingMigrations.slice(0, 2));
    await before.db
      .insertInto('transactions')
      .values({
        ...{ txid, raw_tx: rawTx, bytes: 10, state: 'seen', origin: 'manual', label: '', attempts: 0 },
        ...{ created_at: 1, updated_at: 1 },
      } as never)
      .execute();
    for (const answer of [null, mark(1, 'queued', false), mark(2, 'success', true), mark(1, 'success', true)]) {
      const row = { transaction_id: 1, at: 1, kind: 'answer', text: '', answer: answer && JSON.stringify(answer) };
      await before.db
        .insertInto('transaction_events')
        .values(row as never)
        .execute();
    }
    await before.close();
    const after = await open();
    expect((await after.transactions.find(txid))?.answers).toEqual([
      mark(1, 'success', true),
      mark(2, 'success', true),
    ]);
    expect((await after.transactions.get({ txid })).rawTx).toBe(toHex(rawTx));
    await after.store.close();
  });
});
