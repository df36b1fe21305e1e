import { fromHex, type Outpoint, satoshis, type Utxo } from '../../../../chain/index.ts';
import type { BatchMerchant } from '../../../ports/merchant/merchant.ts';
import { type NodeRpc, NodeRpcError } from '../../../ports/node.ts';

const SATOSHIS_A_COIN = 1e8;
const OUT_OF_RANGE = -8;

/** The part of the node's answer to `gettxout` that is used; null there means that it knows no such unspent output. */
interface NodeCoin {
  /** In whole coins, with eight decimals. */
  readonly value: number;
  readonly confirmations: number;
  readonly scriptPubKey: { readonly hex: string };
}

/** The output an answer to `gettxout` speaks of. */
function coinOf({ txid, vout }: Outpoint, { value, scriptPubKey }: NodeCoin): Utxo {
  return {
    txid,
    vout,
    satoshis: satoshis(Math.round(value * SATOSHIS_A_COIN)),
    lockingScript: fromHex(scriptPubKey.hex),
  };
}

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
  readonly node: NodeRpc;
  readonly merchant: Pick<BatchMerchant, 'status'>;
}

/**
 * What became of an output. A node that has lost its mempool, or some of its blocks, knows no coin of what it lost: only one that has the
 * block of a transaction can tell by its silence that an output of it is gone.
 * @throws NodeRpcError, PlanchetError `upstream-*`
 */
export async function coinState({ node, merchant }: ChainSources, outpoint: Outpoint): Promise<CoinState> {
  const seen = await probe(node, outpoint);
  if (seen !== undefined) return seen;
  const parent = await merchant.status(outpoint.txid);
  if (!parent.known) return { kind: 'unknown' };
  const { blockHash, blockHeight } = parent;
  if (blockHeight === null || (await blockHashAt(node, blockHeight)) !== blockHash) return { kind: 'unsettled' };
  // The block may have come since the node was asked.
  return (await probe(node, outpoint)) ?? { kind: 'spent' };
}

/** @returns undefined where the node knows no such output, or no longer */
async function probe(node: NodeRpc, { txid, vout }: Outpoint): Promise<CoinState | undefined> {
  const found = await node.call<NodeCoin | null>('gettxout', [txid, vout, true]);
  if (found !== null) {
    return { kind: 'unspent', coin: coinOf({ txid, vout }, found), inBlock: found.confirmations > 0 };
  }
  return (await node.call('gettxout', [txid, vout, false])) === null ? undefined : { kind: 'spending' };
}

/** @returns undefined where the node's chain does not reach so far */
export async function blockHashAt(node: NodeRpc, height: number): Promise<string | undefined> {
  try {
    return await node.call<string>('getblockhash', [height]);
  } catch (error) {
    if (error instanceof NodeRpcError && error.code === OUT_OF_RANGE) return undefined;
    throw error;
  }
}
