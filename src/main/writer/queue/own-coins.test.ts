import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fromHex, p2pkhScript, satoshis, serializeTx, txidOf } from '../../../chain/index.ts';
import type { TransactionRow } from '../storage/document.ts';
import { openWriterStore, type WriterStore } from '../storage/store.ts';
import { turnCoins } from './own-coins.ts';

const owner = 'ab'.repeat(20);
let folder: string;
let store: WriterStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-own-coins-'));
  store = await openWriterStore(join(folder, 'writer.db'), '');
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A transaction that pays its owner twice. @param n tells it from others */
function paying(n: number, inputs: readonly [txid: string, vout: number, script?: Uint8Array][]): Uint8Array {
  return serializeTx({
    version: 1,
    inputs: inputs.map(([txid, vout, script = new Uint8Array()]) => ({ txid, vout, script, sequence: n })),
    outputs: [1_000, 2_000].map((amount) => ({ satoshis: satoshis(amount), script: p2pkhScript(fromHex(owner)) })),
    lockTime: 0,
  });
}

function rowOf(n: number, raw: Uint8Array, state: TransactionRow['state'], submittedAt: number | null): TransactionRow {
  const times = { funded_at: 0, signed_at: 0, submitted_at: submittedAt, created_at: 0, updated_at: 0 };
  return {
    ...{ id: String(n).padStart(8, '0'), network: 'test', kind: 'single', source: 'own', key_id: null, owner, state },
    ...{ raw_tx: raw, txid: txidOf(raw), fee: 1, documents: 1, attempts: 0, next_attempt_at: 0, ...times },
  } as unknown as TransactionRow;
}

const insert = (rows: readonly TransactionRow[]) =>
  store.db.transaction().execute(async (db) => {
    for (const row of rows) await db.insertInto('writer_transactions').values(row).execute();
  });

async function coins(): Promise<string[]> {
  const rows = await store.db.selectFrom('writer_coins').select(['txid', 'vout']).orderBy('txid').execute();
  return rows.map(({ txid, vout }) => `${txid}:${vout}`).sort();
}

it('the queue gives a transaction that the miner had forgotten back the coins that no other of ours spends', async () => {
  // more than one read holds, the first and the last of them spend; the script of the last is longer than what is read at first
  const forgotten = [1, 2, 3].map((n) => paying(n, [['cd'.repeat(32), n]]));
  const [first, second, third] = forgotten.map(txidOf) as [string, string, string];
  const others = Array.from({ length: 1_100 }, (_, n) => {
    if (n === 0) return paying(n, [[first, 0]]);
    const long: [string, number, Uint8Array] = ['ef'.repeat(32), n, new Uint8Array(5_000)];
    return paying(n, n === 1_099 ? [long, [second, 1]] : [['ef'.repeat(32), n]]);
  });
  const givenUp = paying(2_000, [[third, 0]]);
  await insert([
    ...others.map((raw, n) => rowOf(n, raw, n === 0 ? 'seen' : 'submitted', 5)),
    rowOf(2_000, givenUp, 'dead', 5),
  ]);
  const rows = forgotten.map((raw, n) => rowOf(3_000 + n, raw, 'submitted', 5));
  await store.db.transaction().execute((db) => turnCoins(store.dialect, db, rows));
  expect(await coins()).toEqual([`${first}:1`, `${second}:0`, `${third}:0`, `${third}:1`].sort());
});

it('the queue takes an output of one satoshi for no coin, as it may be a token', async () => {
  const script = p2pkhScript(fromHex(owner));
  const raw = serializeTx({
    version: 1,
    inputs: [{ txid: 'cd'.repeat(32), vout: 0, script: new Uint8Array(), sequence: 0 }],
    outputs: [1, 2, 1].map((amount) => ({ satoshis: satoshis(amount), script })),
    lockTime: 0,
  });
  await store.db.transaction().execute((db) => turnCoins(store.dialect, db, [rowOf(1, raw, 'submitted', null)]));
  expect(await coins()).toEqual([`${txidOf(raw)}:1`]);
});

it('the queue gives a transaction that the miner takes for the first time all of its coins', async () => {
  const raw = paying(1, [['cd'.repeat(32), 0]]);
  await store.db.transaction().execute((db) => turnCoins(store.dialect, db, [rowOf(1, raw, 'submitted', null)]));
  expect(await coins()).toEqual([`${txidOf(raw)}:0`, `${txidOf(raw)}:1`]);
  // it stands on itself alone
  const depths = await store.db.selectFrom('writer_coins').select('depth').execute();
  expect(depths).toEqual([{ depth: 1 }, { depth: 1 }]);
});

it('the queue takes the coins that were held for a transaction, and counts its depth from the deepest of them', async () => {
  const held = (vout: number, depth: number, held_by: string | null) => ({
    ...{ network: 'test' as const, txid: 'cd'.repeat(32), vout, owner, satoshis: 1_000, depth, held_by },
  });
  const [first, second] = [paying(1, [['cd'.repeat(32), 0]]), paying(2, [['cd'.repeat(32), 3]])];
  const rows = [rowOf(1, first, 'submitted', null), rowOf(2, second, 'submitted', null)];
  const [id, other] = rows.map((row) => row.id) as [string, string];
  await store.db
    .insertInto('writer_coins')
    .values([
      held(0, 3, id),
      held(1, 5, id),
      held(2, 4, id),
      held(3, 0, other),
      held(4, 9, 'another'),
      held(5, 9, null),
    ])
    .execute();
  await store.db.transaction().execute((db) => turnCoins(store.dialect, db, rows));
  const left = await store.db.selectFrom('writer_coins').selectAll().orderBy('depth').orderBy('vout').execute();
  expect(left.map(({ txid, vout, satoshis, depth, held_by }) => [txid, vout, satoshis, depth, held_by])).toEqual([
    [txidOf(second), 0, 1_000, 1, null],
    [txidOf(second), 1, 2_000, 1, null],
    [txidOf(first), 0, 1_000, 6, null],
    [txidOf(first), 1, 2_000, 6, null],
    ['cd'.repeat(32), 4, 1_000, 9, 'another'],
    ['cd'.repeat(32), 5, 1_000, 9, null],
  ]);
});

it('the queue gives no coin for what pays somebody else, or to a transaction that has no owner', async () => {
  const raw = serializeTx({
    version: 1,
    inputs: [{ txid: 'cd'.repeat(32), vout: 0, script: new Uint8Array(), sequence: 0 }],
    outputs: ['cd'.repeat(20), owner].map((hash) => ({ satoshis: satoshis(9), script: p2pkhScript(fromHex(hash)) })),
    lockTime: 0,
  });
  const foreign = { ...rowOf(1, paying(1, [['cd'.repeat(32), 1]]), 'submitted', null), owner: null };
  await store.db
    .transaction()
    .execute((db) => turnCoins(store.dialect, db, [foreign, rowOf(2, raw, 'submitted', null)]));
  expect(await coins()).toEqual([`${txidOf(raw)}:1`]);
});

it('the queue does not give back the only coin of a forgotten transaction where another of ours spends it', async () => {
  const raw = serializeTx({
    version: 1,
    inputs: [{ txid: 'cd'.repeat(32), vout: 0, script: new Uint8Array(), sequence: 0 }],
    outputs: [{ satoshis: satoshis(9), script: p2pkhScript(fromHex(owner)) }],
    lockTime: 0,
  });
  await insert([rowOf(1, paying(1, [[txidOf(raw), 0]]), 'signed', null)]);
  await store.db.transaction().execute((db) => turnCoins(store.dialect, db, [rowOf(2, raw, 'submitted', 5)]));
  expect(await coins()).toEqual([]);
});
