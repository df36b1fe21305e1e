import { MAX_NAMED_TRANSACTIONS, type SandboxBlock, type SandboxChain } from '../../../contract/index.ts';
import type { SandboxNode } from '../node/node.ts';
import { newestBlocks } from '../node/storage/newest-blocks.ts';

/** The newest blocks, oldest first, and the newest transactions of the mempool. @param limit maximum number of blocks */
export async function chainView(node: SandboxNode, limit: number): Promise<SandboxChain> {
  const rows = await newestBlocks(node.db, limit, MAX_NAMED_TRANSACTIONS);
  const blocks = rows.map(
    ({ block, txids }): SandboxBlock => ({
      hash: block.hash,
      height: block.height,
      time: block.time * 1_000,
      bytes: block.size,
      transactions: block.transactions - 1,
      txids,
    }),
  );
  const { mempool } = node;
  // entries are nearly in arrival order, so only the last ones need sorting, not a mempool of 100,000
  const newest = [...mempool.entries()].slice(-MAX_NAMED_TRANSACTIONS).sort((a, b) => b.sequence - a.sequence);
  const transactions = newest.map(({ txid, raw, fee, time }) => ({ txid, bytes: raw.length, fee, at: time }));
  return { blocks, mempool: { count: mempool.size, bytes: mempool.bytes, transactions } };
}
