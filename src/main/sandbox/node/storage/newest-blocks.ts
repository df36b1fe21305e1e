import { type BlockRow, blockColumns } from './chain-store.ts';
import type { NodeDb } from './tables.ts';

/** Blocks at the end of the main chain, oldest first, each with the first txids after its coinbase. */
export async function newestBlocks(
  db: NodeDb,
  limit: number,
  named: number,
): Promise<{ block: BlockRow; txids: string[] }[]> {
  const rows = await db.selectFrom('node_blocks').select(blockColumns).orderBy('height', 'desc').limit(limit).execute();
  const oldest = rows.at(-1)?.height ?? 0;
  const inside = await db
    .selectFrom('node_transactions')
    .select(['txid', 'block_hash'])
    .where('height', '>=', oldest)
    .where('position', '>', 0)
    .where('position', '<=', named)
    .orderBy('position')
    .execute();
  const txids = Map.groupBy(inside, ({ block_hash }) => block_hash);
  return rows.reverse().map((block) => ({ block, txids: (txids.get(block.hash) ?? []).map(({ txid }) => txid) }));
}
