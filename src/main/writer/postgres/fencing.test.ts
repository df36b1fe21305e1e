import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { p2pkhScript, serializeTx } from '../../../chain/index.ts';
import { systemClock } from '../../clock.ts';
import { WriteQueue } from '../queue/queue.ts';
import { unsignedTx } from '../sending/data-transaction.ts';
import { newTransaction } from '../sending/new-transaction.ts';
import type { TransactionRow } from '../storage/document.ts';
import { openWriterStore, type WriterStore } from '../storage/store.ts';
import { createDatabase } from '../test-support/postgres.ts';

const CLAIM_MS = 60_000;

/** Two processes with one queue: one stands still with its claim until another has taken the work over. */
describe('a process that stood still past its claim', () => {
  let stores: WriterStore[];
  let now: number;
  let paused: WriteQueue;
  let other: WriteQueue;

  beforeEach(async () => {
    const url = await createDatabase(inject('postgres') ?? '');
    stores = [await openWriterStore('', url), await openWriterStore('', url)];
    now = Date.UTC(2026, 0, 1);
    const clock = { ...systemClock, now: () => now };
    [paused, other] = stores.map((store) => new WriteQueue(store, 'sandbox', clock, CLAIM_MS)) as [
      WriteQueue,
      WriteQueue,
    ];
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
  });

  /** @returns the same transaction as either of them claimed it, one after the other */
  async function claimedTwice(state: 'funded' | 'signed'): Promise<[TransactionRow, TransactionRow]> {
    const output = { satoshis: 0 as never, script: p2pkhScript(new Uint8Array(20)) };
    const row = newTransaction(paused, {
      kind: 'documents',
      source: 'service',
      state,
      raw_tx: serializeTx(unsignedTx([], [output])),
      fee: 1,
      documents: 0,
    });
    await paused.db
      .transaction()
      .execute((db) => paused.insertTransactions(db, [{ row, documents: [], firstVout: 0 }], 1_000_000));
    const [first] = await paused.claimTransactions(state, 10);
    expect(await other.claimTransactions(state, 10)).toEqual([]);
    now += CLAIM_MS;
    const [second] = await other.claimTransactions(state, 10);
    return [first as TransactionRow, second as TransactionRow];
  }

  it('can neither finish, give up nor put off what it had sent', async () => {
    const [mine, theirs] = await claimedTwice('signed');
    expect(await paused.taken([mine])).toEqual([]);
    expect(await paused.died(mine, { message: 'refused' }, 1)).toBe(false);
    await paused.postpone(mine, { message: 'unreachable' }, 1_000);
    expect(await other.transaction(mine.id)).toEqual(theirs);
    expect(await other.taken([theirs])).toEqual([theirs]);
    expect(await paused.died(mine, { message: 'refused' }, 1)).toBe(false);
    expect(await other.transaction(mine.id)).toMatchObject({ state: 'submitted', last_error: null });
  });

  it('goes on where the server cut its connection in the middle of a database transaction, which changes nothing', async () => {
    const [row] = await claimedTwice('signed');
    const cut = paused.db.transaction().execute(async (db) => {
      await db.updateTable('writer_transactions').set({ state: 'dead' }).where('id', '=', row.id).execute();
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other.db);
      await expect
        .poll(() =>
          sql`select 1`.execute(db).then(
            () => 'open',
            () => 'cut',
          ),
        )
        .toBe('cut');
    });
    await expect(cut).rejects.toThrow();
    expect((await paused.transaction(row.id))?.state).toBe('signed');
  });

  it('cannot put its signature on what another signs', async () => {
    const [mine, theirs] = await claimedTwice('funded');
    expect(await paused.signed(mine, mine.raw_tx, mine.txid)).toBe(false);
    expect(await other.signed(theirs, theirs.raw_tx, theirs.txid)).toBe(true);
    expect(await paused.signed(mine, mine.raw_tx, mine.txid)).toBe(false);
    expect((await other.transaction(mine.id))?.state).toBe('signed');
  });
});
