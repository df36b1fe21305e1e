import type { ChainData } from '../../ports/chain-data.ts';
import type { SourceTransaction } from './read-source.ts';
import type { SpentOutput } from './spent-outputs.ts';

/** Parents in the mempool that the node is asked about; the chains of others count as one. */
const MAX_ASKED = 50;

/**
 * Length of the longest chain of unconfirmed ancestors of each transaction: those of the same source, and those that the node's mempool has.
 * Where the node names the ancestors alone and not what each depends on, their number counts, which is never less.
 * @param transactions parents before children
 */
export async function ancestorsOf(
  chainData: ChainData,
  transactions: readonly SourceTransaction[],
  spent: ReadonlyMap<string, readonly SpentOutput[]>,
): Promise<ReadonlyMap<string, number>> {
  const lengths = new Map<string, number>();
  const atNode = new Map<string, number>();
  for (const { txid, tx } of transactions) {
    let longest = 0;
    for (const [i, input] of tx.inputs.entries()) {
      const { source, state, confirmations } = spent.get(txid)?.[i] ?? {};
      const own = lengths.get(input.txid);
      if (own !== undefined) longest = Math.max(longest, own + 1);
      else if (source !== 'source' && state === 'unspent' && confirmations === 0) {
        if (!atNode.has(input.txid))
          atNode.set(input.txid, atNode.size < MAX_ASKED ? await longestAt(chainData, input.txid) : 0);
        longest = Math.max(longest, (atNode.get(input.txid) ?? 0) + 1);
      }
    }
    lengths.set(txid, longest);
  }
  return lengths;
}

/** An unknown length counts as 0, so that it keeps nobody from sending. */
async function longestAt(chainData: ChainData, txid: string): Promise<number> {
  try {
    return (await chainData.unminedAncestors(txid)).value ?? 0;
  } catch {
    return 0;
  }
}
