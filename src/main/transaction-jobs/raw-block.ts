import { fromHex } from '../../chain/index.ts';
import type { NodeRpc } from '../ports/node.ts';

/** The bytes of a block. @throws NodeRpcError where the node does not have it; PlanchetError `upstream-*` */
export async function rawBlock(node: NodeRpc, hash: string, options?: { signal: AbortSignal }): Promise<Uint8Array> {
  const params = [hash, 0];
  if (node.callBytes !== undefined) return node.callBytes('getblock', params, options);
  return fromHex(await node.call<string>('getblock', params, options));
}
