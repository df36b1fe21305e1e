import { fromHex } from '../../../../chain/index.ts';
import type { NodeRpc } from '../../../ports/node.ts';

/** The bytes of a block. @throws NodeRpcError where the node does not have it; PlanchetError `upstream-*` */
export async function rawBlock(node: NodeRpc, hash: string, options?: { signal: AbortSignal }): Promise<Uint8Array> {
  return bytesOf(node, 'getblock', [hash, 0], options);
}

/**
 * The bytes of a transaction, which may be anybody's and as long as a block.
 * @throws as {@link rawBlock}
 */
export async function rawTransaction(node: NodeRpc, txid: string): Promise<Uint8Array> {
  return bytesOf(node, 'getrawtransaction', [txid, false]);
}

/** Bytes are decoded while they arrive; as a text of hex they would take several times their size. */
async function bytesOf(
  node: NodeRpc,
  method: string,
  params: readonly unknown[],
  options?: { signal: AbortSignal },
): Promise<Uint8Array> {
  if (node.callBytes !== undefined) return node.callBytes(method, params, options);
  return fromHex(String(await node.call(method, params, options)));
}
