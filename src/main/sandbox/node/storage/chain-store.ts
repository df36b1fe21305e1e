import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import {
  concatBytes,
  formatOutpoint,
  isDataOutput,
  type Outpoint,
  parseOutpoint,
  plainBytes,
  type Satoshis,
  sha256,
  type Tx,
  toHex,
  type Utxo,
} from '../../../../chain/index.ts';
import { chunks } from '../../../chunks.ts';
import { pause } from '../../../pause.ts';
import type { NodeUtxo } from '../types.ts';
import { blockPieces, insertBlockBytes } from './block-bytes.ts';
import type { BlocksTable, MempoolTable, NodeDb, NodeTables, TransactionsTable, UtxosTable } from './tables.ts';

/** A block without its bytes. */
export type BlockRow = BlocksTable;

export const blockColumns = [
  'hash',
  'height',
  'previous_hash',
  'header',
  'chainwork',
  'time',
  'median_time',
  'size',
  'transactions',
  'chain_transactions',
] as const;

/** A list of texts as one parameter, so that the statement is the same for any number of them. */
function among(texts: readonly string[]): RawBuilder<string> {
  return sql<string>`(select value from json_each(${JSON.stringify(texts)}))`;
}

/** Maximum rows per statement: a larger one would block the event loop. */
const BATCH = 100;

async function* batches<T>(items: readonly T[]): AsyncGenerator<T[]> {
  for (const some of chunks(items, BATCH)) {
    await pause();
    yield some;
  }
}

export function tipBlock(db: NodeDb): Promise<BlockRow | undefined> {
  return db.selectFrom('node_blocks').select(blockColumns).orderBy('height', 'desc').limit(1).executeTakeFirst();
}

/** A block of the main chain. */
export function blockByHash(db: NodeDb, hash: string): Promise<BlockRow | undefined> {
  return db.selectFrom('node_blocks').select(blockColumns).where('hash', '=', hash).executeTakeFirst();
}

export function blockAtHeight(db: NodeDb, height: number): Promise<BlockRow | undefined> {
  return db.selectFrom('node_blocks').select(blockColumns).where('height', '=', height).executeTakeFirst();
}

/** Times of up to eleven blocks ending at a height, oldest first. */
export async function recentTimes(db: NodeDb, height: number): Promise<number[]> {
  const rows = await db
    .selectFrom('node_blocks')
    .select('time')
    .where('height', '<=', height)
    .orderBy('height', 'desc')
    .limit(11)
    .execute();
  return rows.map(({ time }) => time).reverse();
}

/** Txids of a block of the main chain in block order. */
export async function blockTxids(db: NodeDb, hash: string): Promise<string[]> {
  const rows = await db
    .selectFrom('node_transactions')
    .select('txid')
    .where('block_hash', '=', hash)
    .orderBy('position')
    .execute();
  return rows.map(({ txid }) => txid);
}

/** The position of a mined transaction. */
export function locateTransaction(db: NodeDb, txid: string): Promise<TransactionsTable | undefined> {
  return db.selectFrom('node_transactions').selectAll().where('txid', '=', txid).executeTakeFirst();
}

/** The bytes of a mined transaction, read from its block. */
export async function minedTransaction(db: NodeDb, at: TransactionsTable): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of blockPieces(db, at.block_hash, at.start, at.start + at.size)) pieces.push(piece);
  return concatBytes(...pieces);
}

/** Unspent confirmed outputs among these outpoints, by `<txid>_<vout>`. */
export async function findUtxos(db: NodeDb, outpoints: readonly string[]): Promise<Map<string, NodeUtxo>> {
  const found = new Map<string, NodeUtxo>();
  for await (const some of batches(outpoints)) {
    const rows = await db.selectFrom('node_utxos').selectAll().where('outpoint', 'in', among(some)).execute();
    for (const row of rows) found.set(row.outpoint, asUtxo(row));
  }
  return found;
}

/** Unspent confirmed outputs that pay a script, largest amount first. */
export async function utxosPaying(db: NodeDb, script: Uint8Array): Promise<(Utxo & NodeUtxo)[]> {
  const rows = await db
    .selectFrom('node_utxos')
    .selectAll()
    .where('script_hash', '=', toHex(sha256(script)))
    .orderBy('satoshis', 'desc')
    .orderBy('outpoint')
    .execute();
  return rows.map((row) => ({ ...parseOutpoint(row.outpoint), ...asUtxo(row) }));
}

function asUtxo(row: UtxosTable): NodeUtxo {
  return {
    satoshis: row.satoshis as Satoshis,
    lockingScript: plainBytes(row.script),
    height: row.height,
    coinbase: row.coinbase === 1,
  };
}

/** The mined transactions that spent these outputs, by `<txid>_<vout>`. */
export async function findSpends(
  db: NodeDb,
  outpoints: readonly string[],
): Promise<Map<string, { txid: string; input: number; height: number }>> {
  const found = new Map<string, { txid: string; input: number; height: number }>();
  for await (const some of batches(outpoints)) {
    const rows = await db
      .selectFrom('node_spends')
      .innerJoin('node_transactions', 'txid', 'spender')
      .select(['outpoint', 'txid', 'input', 'height'])
      .where('outpoint', 'in', among(some))
      .execute();
    for (const { outpoint, ...spend } of rows) found.set(outpoint, spend);
  }
  return found;
}

/** Rows for the spendable outputs of a transaction. */
export function utxoRows(txid: string, tx: Tx, height: number, coinbase: boolean): UtxosTable[] {
  const rows: UtxosTable[] = [];
  for (const [vout, { satoshis, script }] of tx.outputs.entries()) {
    if (isDataOutput(script)) continue;
    rows.push(utxoRow(formatOutpoint({ txid, vout }), { satoshis, lockingScript: script, height, coinbase }));
  }
  return rows;
}

/**
 * Inserts rows of a table, all with the same columns in the same order. The SQL is written by hand because, for hundreds of values, the
 * query builder takes longer than the database.
 */
export async function insertRows<Name extends keyof NodeTables>(
  db: NodeDb,
  table: Name,
  rows: readonly NodeTables[Name][],
  verb: 'insert' | 'replace' = 'insert',
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const places = `(${columns.map(() => '?').join(', ')})`;
  const insertion = `${verb} into ${table} (${columns.join(', ')}) values `;
  for await (const some of batches(rows)) {
    const values = some.flatMap((row) => Object.values(row));
    await db.executeQuery(CompiledQuery.raw(insertion + some.map(() => places).join(', '), values));
  }
}

export function utxoRow(outpoint: string, coin: NodeUtxo & { height: number }): UtxosTable {
  return {
    outpoint,
    satoshis: coin.satoshis,
    script: coin.lockingScript,
    script_hash: toHex(sha256(coin.lockingScript)),
    height: coin.height,
    coinbase: coin.coinbase ? 1 : 0,
  };
}

export async function insertBlock(
  db: NodeDb,
  block: BlocksTable,
  raw: Uint8Array,
  transactions: readonly TransactionsTable[],
): Promise<void> {
  await db.insertInto('node_blocks').values(block).execute();
  await insertBlockBytes(db, block.hash, raw);
  await insertRows(db, 'node_transactions', transactions);
}

export async function deleteUtxos(db: NodeDb, outpoints: readonly string[]): Promise<void> {
  for await (const some of batches(outpoints))
    await db.deleteFrom('node_utxos').where('outpoint', 'in', among(some)).execute();
}

export function mempoolRows(db: NodeDb): Promise<MempoolTable[]> {
  return db.selectFrom('node_mempool').selectAll().orderBy('sequence').execute();
}

/** Which of these transactions are mined on the main chain. */
export async function minedAmong(db: NodeDb, txids: readonly string[]): Promise<Set<string>> {
  const mined = new Set<string>();
  for await (const some of batches(txids)) {
    const rows = await db.selectFrom('node_transactions').select('txid').where('txid', 'in', among(some)).execute();
    for (const { txid } of rows) mined.add(txid);
  }
  return mined;
}

export async function deleteMempool(db: NodeDb, txids: readonly string[]): Promise<void> {
  for await (const some of batches(txids))
    await db.deleteFrom('node_mempool').where('txid', 'in', among(some)).execute();
}

export async function deleteNonFinal(db: NodeDb, txids: readonly string[]): Promise<void> {
  for await (const some of batches(txids))
    await db.deleteFrom('node_nonfinal').where('txid', 'in', among(some)).execute();
}

/** Every unspent confirmed output, in outpoint order: for consistency checks and statistics. */
export async function* allUtxos(db: NodeDb): AsyncGenerator<Outpoint & NodeUtxo> {
  let after = '';
  for (;;) {
    const rows = await db
      .selectFrom('node_utxos')
      .selectAll()
      .where('outpoint', '>', after)
      .orderBy('outpoint')
      .limit(BATCH)
      .execute();
    for (const row of rows) yield { ...parseOutpoint(row.outpoint), ...asUtxo(row) };
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.outpoint;
  }
}
