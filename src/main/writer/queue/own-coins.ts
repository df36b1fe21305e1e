import { type SqlBool, sql, type Transaction } from 'kysely';
import { fromHex, p2pkhScript, parseTx, toHex } from '../../../chain/index.ts';
import type { TransactionRow } from '../storage/document.ts';
import { among, rowsOf } from '../storage/sql-lists.ts';
import type { Dialect, WriterTables } from '../storage/tables.ts';

/** The miner took these transactions: what they spent is gone, what they pay to their own owner is there. */
export async function turnCoins(
  dialect: Dialect,
  db: Transaction<WriterTables>,
  rows: readonly TransactionRow[],
): Promise<void> {
  const spent = await db
    .deleteFrom('writer_coins')
    .where(
      among(
        dialect,
        'held_by',
        rows.map(({ id }) => id),
      ),
    )
    .returning(['held_by', 'depth'])
    .execute();
  const depths = new Map<string, number>();
  for (const { held_by, depth } of spent) depths.set(held_by ?? '', Math.max(depth, depths.get(held_by ?? '') ?? 0));
  const coins: string[][] = [];
  for (const row of rows) {
    for (const coin of ownOutputs(row, (depths.get(row.id) ?? 0) + 1)) {
      // What the miner takes a second time, because it forgot it, was there before: another transaction may have spent it.
      if (row.submitted_at === null || !(await isSpentByUs(dialect, db, row, Number(coin[2])))) coins.push(coin);
    }
  }
  if (coins.length === 0) return;
  await sql`insert into writer_coins (network, txid, vout, owner, satoshis, depth, held_by)
    select value ->> 0, value ->> 1, cast(value ->> 2 as integer), value ->> 3, cast(value ->> 4 as bigint),
    cast(value ->> 5 as integer), null from ${rowsOf(dialect, coins)} as coins where true on conflict do nothing`.execute(
    db,
  );
}

/** Whether a transaction of ours that was not given up spends an output. */
async function isSpentByUs(
  dialect: Dialect,
  db: Transaction<WriterTables>,
  { network, txid }: TransactionRow,
  vout: number,
): Promise<boolean> {
  const outpoint = Buffer.alloc(36, fromHex(txid).reverse());
  outpoint.writeUInt32LE(vout, 32);
  const place = dialect === 'sqlite' ? sql`instr(raw_tx, ${outpoint})` : sql`position(${outpoint} in raw_tx)`;
  const spending = await db
    .selectFrom('writer_transactions')
    .select('id')
    .where('network', '=', network)
    .where('state', 'in', ['signed', 'submitted', 'seen'])
    .where(sql<SqlBool>`state <> 'proven'`)
    .where(sql<SqlBool>`${place} > 0`)
    .limit(1)
    .executeTakeFirst();
  return spending !== undefined;
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
