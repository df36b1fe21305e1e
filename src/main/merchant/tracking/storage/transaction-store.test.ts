import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { dataScript, fromHex, satoshis, serializeTx, txidOf } from '../../../../chain/index.ts';
import { phrase, phraseText } from '../../../../contract/index.ts';
import { openStore } from '../../../store/store.ts';
import { StillClock } from '../../../test-support/still-clock.ts';
import { type TrackingTables, trackingMigrations } from './tables.ts';
import { TransactionStore } from './transaction-store.ts';

function spending(txid: string, vout: number): Uint8Array {
  return serializeTx({
    version: 1,
    inputs: [{ txid, vout, script: new Uint8Array(), sequence: 0xffffffff }],
    outputs: [{ satoshis: satoshis(1), script: fromHex('51') }],
    lockTime: 0,
  });
}

it('the transaction store finds the tracked transactions that spend a transaction and that the network has', async () => {
  const store = await openStore<TrackingTables>({ file: ':memory:', migrations: trackingMigrations });
  try {
    const transactions = new TransactionStore({ store, clock: new StillClock(0), tipHeight: () => 9 });
    const parent = spending('ab'.repeat(32), 0);
    const [seen, mined, refused] = [0, 1, 2].map((vout) => spending(txidOf(parent), vout)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    await transactions.add([parent, seen, mined, refused].map((rawTx) => ({ rawTx, origin: 'manual' })));
    const states = new Map([
      [txidOf(seen), { state: 'seen' as const }],
      [txidOf(mined), { state: 'mined' as const, block: { hash: 'ef'.repeat(32), height: 7 } }],
    ]);
    await transactions.update([...states.keys()], ({ txid }) => ({ change: states.get(txid) ?? {}, events: [] }));
    const found = await transactions.spendersOf(txidOf(parent));
    expect(found.map(({ txid, height }) => [txid, height])).toEqual([
      [txidOf(mined), 7],
      [txidOf(seen), null],
    ]);
    expect(await transactions.spendersOf(txidOf(mined))).toEqual([]);
  } finally {
    await store.close();
  }
});

it('the transaction store writes the bytes of a transaction once, however often its state changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-transactions-'));
  const file = join(folder, 'transactions.db');
  const store = await openStore<TrackingTables>({ file, migrations: trackingMigrations });
  try {
    const transactions = new TransactionStore({ store, clock: new StillClock(0), tipHeight: () => 9 });
    const outputs = [{ satoshis: satoshis(0), script: dataScript([new Uint8Array(1_000_000)]) }];
    const rawTx = serializeTx({ version: 1, inputs: [], outputs, lockTime: 0 });
    await transactions.add([{ rawTx, origin: 'mint' }]);
    store.sqlite.pragma('wal_checkpoint(TRUNCATE)');
    for (const state of ['submitted', 'seen', 'mined'] as const)
      await transactions.update([txidOf(rawTx)], () => ({ change: { state }, events: [] }));
    expect(statSync(`${file}-wal`).size).toBeLessThan(500_000);
    expect((await transactions.rawOf([txidOf(rawTx)])).get(txidOf(rawTx))).toHaveLength(rawTx.length);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

it('the transaction store gives an event its sentence as a phrase, and one of an older history its text alone', async () => {
  const store = await openStore<TrackingTables>({ file: ':memory:', migrations: trackingMigrations });
  try {
    const transactions = new TransactionStore({ store, clock: new StillClock(0), tipHeight: () => 9 });
    const rawTx = spending('ab'.repeat(32), 0);
    const txid = txidOf(rawTx);
    const why = phrase('check.fee', { fee: 1, miner: 'Taal', asked: 2, bytes: 3 });
    const reason = { code: 'fee', text: 'It pays too little.', advice: '', retriedByItself: false, sentence: why };
    await transactions.add([{ rawTx, origin: 'manual', reason }]);
    const sentence = phrase('event.mined', { height: 1_234 });
    await transactions.update([txid], () => ({ change: { state: 'mined' }, events: [{ kind: 'state', sentence }] }));
    await sql`insert into transaction_events (transaction_id, at, kind, text) values (1, 0, 'retry', 'Sent again.')`.execute(
      store.db,
    );
    expect((await transactions.get({ txid })).events).toMatchObject([
      { text: phraseText(phrase('event.kept-back', { why })), sentence: phrase('event.kept-back', { why }) },
      { text: 'Block 1234 holds it.', sentence },
      { text: 'Sent again.', sentence: null },
    ]);
  } finally {
    await store.close();
  }
});
