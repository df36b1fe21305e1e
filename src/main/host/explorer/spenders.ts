import { formatOutpoint, parseTx } from '../../../chain/index.ts';
import type { OutputSpend } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';

type Spender = NonNullable<OutputSpend['by']>;

export interface SpenderSources {
  chainData: ChainData;
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
  { chainData, sandbox, wallet, tracked }: SpenderSources,
  { txid, outputs }: { txid: string; outputs: readonly number[] },
): Promise<OutputSpend[]> {
  if (outputs.length === 0) return [];
  const held = await heldBy(chainData, txid, outputs);
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
  chainData: ChainData,
  txid: string,
  outputs: readonly number[],
): Promise<Pick<OutputSpend, 'state' | 'by'>[]> {
  const states = await chainData.outputs(
    outputs.map((vout) => ({ txid, vout })),
    'states',
  );
  return (
    states?.map(({ value }) => {
      if (value?.state === 'unspent') return { state: 'unspent', by: null };
      // The transaction is known, so an output that is not unspent was spent.
      return { state: 'spent', by: value?.by ? { txid: value.by, input: null, height: null } : null };
    }) ?? []
  );
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
