import { parseTx, type Satoshis, subsidyAt, txidOf } from '../../../../chain/index.ts';
import { makeBlock, serializeNewBlock } from '../consensus/blocks.ts';
import type { SandboxNode } from '../node.ts';
import { findBlock } from '../storage/side-store.ts';
import { lockingScriptOf, otherKey } from './open-node.ts';

/** Builds a block on any other, as another miner would. */
export async function foreignBlock(
  node: SandboxNode,
  previousHash: string,
  parts: { transactions?: Uint8Array[]; reward?: Satoshis; time?: number } = {},
): Promise<{ raw: Uint8Array; hash: string }> {
  const previous = await findBlock(node.db, previousHash);
  if (previous === undefined) throw new Error('no such block');
  const transactions = (parts.transactions ?? []).map((raw) => ({ txid: txidOf(raw), tx: parseTx(raw), raw }));
  const block = makeBlock({
    height: previous.height + 1,
    previousHash,
    time: parts.time ?? previous.time + 1,
    payTo: lockingScriptOf(otherKey),
    reward: parts.reward ?? subsidyAt(previous.height + 1),
    transactions,
  });
  return { raw: serializeNewBlock(block).raw, hash: block.hash };
}
