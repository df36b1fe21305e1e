import { type BlockProof, type BlockProofFault, checkBlockProof, isHashHex, MerkleTree } from '../../chain/index.ts';
import { PlanchetError } from '../../contract/index.ts';
import { isNotKnown, type NodeRpc, NodeRpcError } from '../ports/node.ts';

/** Blocks with more transactions are not listed whole; what they hold is asked for one by one. */
export const LISTED_TRANSACTIONS = 200_000;

/**
 * What shows that a block holds a transaction, held against both: the node's own proof or, from a node that has no such command, one that is made from
 * its list of the block. Whether the block is part of a chain is not looked at.
 * @param hash of the block
 * @returns why it does not hold
 * @throws NodeRpcError where the node has neither; PlanchetError `upstream-*`
 */
export async function blockProof(
  node: NodeRpc,
  txid: string,
  hash: string,
  signal?: AbortSignal,
): Promise<BlockProof | BlockProofFault> {
  const call = <T>(method: string, params: readonly unknown[]): Promise<T> =>
    node.call<T>(method, params, signal === undefined ? {} : { signal });
  try {
    return checkBlockProof(await call('getmerkleproof2', [hash, txid, false, 'header']), txid, hash);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const txids = await listedTransactions(node, hash, signal);
    const index = txids.indexOf(txid);
    if (index === -1) throw error;
    const target = await call<unknown>('getblockheader', [hash, false]);
    const nodes = new MerkleTree(txids).branch(index);
    return checkBlockProof({ index, txOrId: txid, targetType: 'header', target, nodes }, txid, hash);
  }
}

/**
 * The txids of a block in order; none where it has more than are listed.
 * @throws NodeRpcError, PlanchetError `upstream-*`
 */
export async function listedTransactions(node: NodeRpc, hash: string, signal?: AbortSignal): Promise<string[]> {
  const call = <T>(method: string, params: readonly unknown[]): Promise<T | null> =>
    node.call<T>(method, params, signal === undefined ? {} : { signal });
  const { num_tx: count = 0 } = (await call<{ num_tx?: number }>('getblockheader', [hash, true])) ?? {};
  if (count > LISTED_TRANSACTIONS) return [];
  const { tx: txids } = (await call<{ tx?: unknown }>('getblock', [hash, 1])) ?? {};
  if (Array.isArray(txids) && txids.every(isHashHex)) return txids;
  throw new PlanchetError('chain.answer-malformed', { method: 'getblock' });
}

/** Whether the node, or what stands before it, does not serve the command; that it knows no such transaction or block is an answer. */
function isRefusal(error: unknown): boolean {
  if (error instanceof NodeRpcError) return !isNotKnown(error);
  return error instanceof PlanchetError && error.code === 'upstream-error';
}
