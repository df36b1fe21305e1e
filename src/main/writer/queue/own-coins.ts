import { sql, type Transaction } from 'kysely';
import {
  ByteReader,
  ChainError,
  fromHex,
  p2pkhScript,
  parseTx,
  readInput,
  type TxInput,
  toHex,
} from '../../../chain/index.ts';
import { idsOf, type TransactionRow } from '../storage/document.ts';
import { among, rowsOf } from '../storage/sql-lists.ts';
import type { Dialect, WriterTables } from '../storage/tables.ts';

/** Bytes that hold the inputs of nearly every transaction of a document. */
const HEAD_BYTES = 2_000;
/** Rows. */
const READ_AT_ONCE = 1_000;

/** The miner took these transactions: what they spent is gone, what they pay to their own owner is there. */
export async function turnCoins(
  dialect: Dialect,
  db: Transaction<WriterTables>,
  rows: readonly TransactionRow[],
): Promise<void> {
  const spent = await db
    .deleteFrom('writer_coins')
    .where(among(dialect, 'held_by', idsOf(rows)))
    .returning(['held_by', 'depth'])
    .execute();
  const depths = new Map<string, number>();
  for (const { held_by, depth } of spent) depths.set(held_by ?? '', Math.max(depth, depths.get(held_by ?? '') ?? 0));
  const outputs = rows.map((row) => ({ row, coins: ownOutputs(row, (depths.get(row.id) ?? 0) + 1) }));
  // What the miner takes a second time, because it forgot it, was there before: another transaction may have spent it.
  const forgotten = outputs.flatMap(({ row, coins }) => (row.submitted_at === null ? [] : coins.map(outpointOf)));
  const spentBefore = await spentByUs(db, rows, new Set(forgotten));
  const coins = outputs.flatMap((output) => output.coins.filter((coin) => !spentBefore.has(outpointOf(coin))));
  if (coins.length === 0) return;
  await sql`insert into writer_coins (network, txid, vout, owner, satoshis, depth, held_by)
    select value ->> 0, value ->> 1, cast(value ->> 2 as integer), value ->> 3, cast(value ->> 4 as bigint),
    cast(value ->> 5 as integer), null from ${rowsOf(dialect, coins)} as coins where true on conflict do nothing`.execute(
    db,
  );
}

/** Those of the outputs that transactions of ours spend which were not given up: one pass over what no block is known to hold. */
async function spentByUs(
  db: Transaction<WriterTables>,
  rows: readonly TransactionRow[],
  outpoints: ReadonlySet<string>,
): Promise<Set<string>> {
  const spent = new Set<string>();
  if (outpoints.size === 0) return spent;
  const networks = [...new Set(rows.map(({ network }) => network))];
  const pages = db
    .selectFrom('writer_transactions')
    // a document may have megabytes, and its inputs stand before it
    .select(['id', sql<Uint8Array>`substr(raw_tx, 1, ${sql.lit(HEAD_BYTES)})`.as('head')])
    .where('network', 'in', networks)
    .where('state', 'in', ['signed', 'submitted', 'seen'])
    .orderBy('id')
    .limit(READ_AT_ONCE);
  for (let after = '', length = READ_AT_ONCE; length === READ_AT_ONCE; ) {
    const page = await pages.where('id', '>', after).execute();
    for (const { id, head } of page) {
      after = id;
      const inputs = inputsOf(head) ?? parseTx(await rawOf(db, id), true).inputs;
      for (const { txid, vout } of inputs) if (outpoints.has(`${txid}:${vout}`)) spent.add(`${txid}:${vout}`);
    }
    length = page.length;
  }
  return spent;
}

/** @returns undefined where the inputs go on beyond these first bytes */
function inputsOf(head: Uint8Array): TxInput[] | undefined {
  try {
    const reader = new ByteReader(head, 'tx-malformed', true);
    reader.i32le();
    const inputs: TxInput[] = [];
    for (let left = reader.varint(); left > 0; left--) inputs.push(readInput(reader));
    return inputs;
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

async function rawOf(db: Transaction<WriterTables>, id: string): Promise<Uint8Array> {
  const found = db.selectFrom('writer_transactions').select('raw_tx').where('id', '=', id);
  return (await found.executeTakeFirstOrThrow()).raw_tx;
}

/** @param coin a row of the table of coins */
function outpointOf([, txid, vout]: readonly string[]): string {
  return `${txid}:${vout}`;
}

/** Outputs that pay the transaction's own owner, as rows of the table of coins. */
function ownOutputs({ network, owner, txid, raw_tx }: TransactionRow, depth: number): string[][] {
  if (owner === null) return [];
  const script = toHex(p2pkhScript(fromHex(owner)));
  return parseTx(raw_tx).outputs.flatMap((output, vout) =>
    output.satoshis > 1 && toHex(output.script) === script
      ? [[network, txid, String(vout), owner, String(output.satoshis), String(depth)]]
      : [],
  );
}
