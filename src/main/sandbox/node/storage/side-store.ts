import { sql } from 'kysely';
import { plainBytes } from '../../../../chain/index.ts';
import { insertBlockBytes } from './block-bytes.ts';
import { type BlockRow, blockByHash, blockColumns } from './chain-store.ts';
import type { MarksTable, NodeDb, SideBlocksTable } from './tables.ts';

/** A block that is not on the main chain. */
export type SideBlockRow = SideBlocksTable;

const sideColumns = [...blockColumns, 'arrival', 'validity', 'failed'] as const;

/** A block on any branch; `side` is set if it is not on the main chain. */
export type FoundBlock = BlockRow & { readonly side?: SideBlockRow };

/** A block of any branch. */
export async function findBlock(db: NodeDb, hash: string): Promise<FoundBlock | undefined> {
  const main = await blockByHash(db, hash);
  if (main !== undefined) return main;
  const side = await db.selectFrom('node_side_blocks').select(sideColumns).where('hash', '=', hash).executeTakeFirst();
  return side && { ...side, side };
}

export function sideBlockRows(db: NodeDb): Promise<SideBlockRow[]> {
  return db.selectFrom('node_side_blocks').select(sideColumns).orderBy('arrival').execute();
}

export async function insertSideBlock(db: NodeDb, row: SideBlockRow, raw: Uint8Array): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.insertInto('node_side_blocks').values(row).execute();
    await insertBlockBytes(trx, row.hash, raw);
  });
}

export async function deleteSideBlock(db: NodeDb, hash: string): Promise<void> {
  await db.deleteFrom('node_side_blocks').where('hash', '=', hash).execute();
}

export async function markFailed(db: NodeDb, hashes: readonly string[], failed: boolean): Promise<void> {
  await db
    .updateTable('node_side_blocks')
    .set({ failed: failed ? 1 : 0 })
    .where('hash', 'in', hashes)
    .execute();
}

/** Moves a block with its transaction positions and undo data from the main chain to the side blocks. */
export async function moveAside(db: NodeDb, hash: string, arrival: number): Promise<void> {
  const columns = sql.join(blockColumns.map((name) => sql.ref(name)));
  await sql`insert into node_side_blocks (${columns}, arrival, validity, failed)
    select ${columns}, ${arrival}, 'scripts', 0 from node_blocks where hash = ${hash}`.execute(db);
  await db.deleteFrom('node_transactions').where('block_hash', '=', hash).execute();
  await db.deleteFrom('node_undo').where('hash', '=', hash).execute();
  await db.deleteFrom('node_blocks').where('hash', '=', hash).execute();
}

/** Undo data and arrival number of a main chain block; undefined in a store from before undo data. */
export async function undoOf(db: NodeDb, hash: string): Promise<{ arrival: number; undo: Uint8Array } | undefined> {
  const row = await db.selectFrom('node_undo').select(['arrival', 'undo']).where('hash', '=', hash).executeTakeFirst();
  return row && { arrival: row.arrival, undo: plainBytes(row.undo) };
}

export async function insertUndo(db: NodeDb, hash: string, arrival: number, undo: Uint8Array): Promise<void> {
  await db.insertInto('node_undo').values({ hash, arrival, undo }).execute();
}

export async function lastArrival(db: NodeDb): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`select max(arrival) as last
    from (select arrival from node_undo union all select arrival from node_side_blocks)`.execute(db);
  return rows[0]?.last ?? 0;
}

export async function setMark(db: NodeDb, name: MarksTable['name']): Promise<void> {
  await db
    .insertInto('node_marks')
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function clearMark(db: NodeDb, name: MarksTable['name']): Promise<void> {
  await db.deleteFrom('node_marks').where('name', '=', name).execute();
}

export async function hasMark(db: NodeDb, name: MarksTable['name']): Promise<boolean> {
  return (await db.selectFrom('node_marks').select('name').where('name', '=', name).executeTakeFirst()) !== undefined;
}

/** Stores the height at which the Chronicle rules start. */
export async function rememberChronicle(db: NodeDb, height: number): Promise<void> {
  await db
    .deleteFrom('node_marks')
    .where('name', 'like', 'chronicle-%' as MarksTable['name'])
    .execute();
  await setMark(db, `chronicle-${height}`);
}
