import type { Outpoint, Utxo } from '../../../../chain/index.ts';
import type { ChainData } from '../../../ports/chain-data.ts';
import type { BatchMerchant } from '../../../ports/merchant/merchant.ts';

/** What node and miner together know of an output. */
export type CoinState =
  /** What the coin holds is the word of the node: bytes that prove it come first. */
  | { readonly kind: 'unspent'; readonly coin: Utxo; readonly inBlock: boolean }
  /** It is in a block, and what waits in the node's mempool spends it. */
  | { readonly kind: 'spending' }
  /** The node has the block with its transaction, and says that it is gone. */
  | { readonly kind: 'spent' }
  /** The miner has its transaction and the node has no block with it, so that the node's silence says nothing. */
  | { readonly kind: 'unsettled' }
  /** The miner does not know its transaction. */
  | { readonly kind: 'unknown' };

/** Those who are asked. */
export interface ChainSources {
  readonly chainData: ChainData;
  readonly merchant: Pick<BatchMerchant, 'status'>;
}

/**
 * What became of an output. A node that has lost its mempool, or some of its blocks, knows no coin of what it lost: only one that has the
 * block of a transaction can tell by its silence that an output of it is gone.
 * @throws PlanchetError `upstream-*`
 */
export async function coinState({ chainData, merchant }: ChainSources, outpoint: Outpoint): Promise<CoinState> {
  const seen = await probe(chainData, outpoint);
  if (seen !== undefined) return seen;
  const parent = await merchant.status(outpoint.txid);
  if (!parent.known) return { kind: 'unknown' };
  const { blockHash, blockHeight } = parent;
  if (blockHeight === null || (await chainData.hashAt(blockHeight)).value !== blockHash) return { kind: 'unsettled' };
  // The block may have come since the node was asked.
  return (await probe(chainData, outpoint)) ?? { kind: 'spent' };
}

/** @returns undefined where the node knows no such output, or no longer */
async function probe(chainData: ChainData, { txid, vout }: Outpoint): Promise<CoinState | undefined> {
  const { value: found } = await chainData.output({ txid, vout });
  if (found?.state !== 'unspent') return found && { kind: 'spending' };
  const { output, confirmations } = found;
  const coin = output && { txid, vout, satoshis: output.satoshis, lockingScript: output.script };
  return coin && { kind: 'unspent', coin, inBlock: confirmations > 0 };
}
