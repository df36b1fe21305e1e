import { z } from 'zod';
import { formatOutpoint, parseTx } from '../../../chain/index.ts';
import type { OutputSpend } from '../../../contract/index.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';

type Spender = NonNullable<OutputSpend['by']>;

/** The node's answer for each output: what it holds, or why it does not. */
const txoutsSchema = z.object({
  txouts: z.array(
    z.union([
      z.object({ error: z.literal('spent'), collidedWith: z.object({ txid: z.string() }) }),
      z.object({ error: z.string() }),
      z.object({ confirmations: z.number() }),
    ]),
  ),
});

export interface SpenderSources {
  node: NodeRpc;
  /** The sandbox's node keeps an index; others do not. */
  sandbox: { spenders(outpoints: readonly string[]): Promise<ReadonlyMap<string, Spender>> } | undefined;
  wallet: { spenders(outpoints: readonly string[]): ReadonlyMap<string, { txid: string; height: number | null }> };
  tracked: { spendersOf(txid: string): Promise<{ txid: string; rawTx: Uint8Array; height: number | null }[]> };
}

/**
 * What spent the outputs of a transaction. A node says whether it still holds an output, and what spends it in the mempool; what spent it in
 * a block is known for the sandbox, for the wallet's coins and tokens, and where a tracked transaction did it.
 * @throws PlanchetError `upstream-*`
 */
export async function spendersOf(
  { node, sandbox, wallet, tracked }: SpenderSources,
  { txid, outputs }: { txid: string; outputs: readonly number[] },
): Promise<OutputSpend[]> {
  if (outputs.length === 0) return [];
  const held = await heldBy(node, txid, outputs);
  const outpoints = outputs.map((vout) => formatOutpoint({ txid, vout }));
  const indexed = await sandbox?.spenders(outpoints);
  const ofWallet = wallet.spenders(outpoints);
  const known = new Map<string, Spender>();
  for (const outpoint of outpoints) {
    const ours = ofWallet.get(outpoint);
    const by = indexed?.get(outpoint) ?? (ours && { ...ours, input: null });
    if (by) known.set(outpoint, by);
  }
  const spends = outpoints.map((outpoint, at): OutputSpend => {
    const { state, by } = held[at] ?? { state: 'unknown', by: null };
    // The node may answer from another moment than the records: what it still holds is not spent.
    return { index: outputs[at] as number, state, by: state === 'unspent' ? null : (known.get(outpoint) ?? by) };
  });
  if (!spends.some(({ state, by }) => state !== 'unspent' && by === null)) return spends;
  const byTracked = await trackedSpenders(tracked, txid);
  return spends.map((spend) =>
    spend.state === 'unspent' || spend.by !== null ? spend : { ...spend, by: byTracked.get(spend.index) ?? null },
  );
}

async function heldBy(
  node: NodeRpc,
  txid: string,
  outputs: readonly number[],
): Promise<Pick<OutputSpend, 'state' | 'by'>[]> {
  const wanted = outputs.map((n) => ({ txid, n }));
  const answer = await node.call<unknown>('gettxouts', [wanted, ['confirmations'], true]).catch((error: unknown) => {
    // Older nodes and services in place of one do not have the command.
    if (error instanceof NodeRpcError) return undefined;
    throw error;
  });
  const read = txoutsSchema.safeParse(answer);
  if (!read.success) return [];
  return read.data.txouts.map((one) => {
    if (!('error' in one)) return { state: 'unspent', by: null };
    return {
      state: 'spent',
      by: 'collidedWith' in one ? { txid: one.collidedWith.txid, input: null, height: null } : null,
    };
  });
}

/** By the index of the output. */
async function trackedSpenders(tracked: SpenderSources['tracked'], txid: string): Promise<Map<number, Spender>> {
  const found = new Map<number, Spender>();
  for (const { txid: spender, rawTx, height } of await tracked.spendersOf(txid)) {
    for (const [input, spent] of parseTx(rawTx).inputs.entries()) {
      if (spent.txid === txid) found.set(spent.vout, { txid: spender, input, height });
    }
  }
  return found;
}
