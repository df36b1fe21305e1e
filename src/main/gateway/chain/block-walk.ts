import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';

/** A longer way is not walked: whoever was away for so long asks for the blocks by itself. */
const LONGEST_WALK = 1_000;

/**
 * The blocks of the main chain that follow one block, up to another and with it, oldest first. Where the first is no longer on the main
 * chain, they begin at the place where its branch left it.
 * @param from the block known last; @param to a newer one
 * @returns none where `to` is not above that place, as told by an upstream that is behind; undefined where there is no such way, or a very
 *   long one
 * @throws PlanchetError `upstream-*`
 */
export async function blocksUpTo(node: NodeRpc, from: string, to: string): Promise<string[] | undefined> {
  const fork = await lastOnChain(node, from);
  if (fork === undefined) return undefined;
  let header = await headerOf(node, to);
  if (header !== undefined && header.height <= fork) return [];
  const path = [to];
  while (header?.previousblockhash !== undefined && header.height > fork + 1) {
    if (path.length > LONGEST_WALK) return undefined;
    path.push(header.previousblockhash);
    header = await headerOf(node, header.previousblockhash);
  }
  return header === undefined ? undefined : path.reverse();
}

interface Header {
  readonly height: number;
  readonly previousblockhash?: string;
}

/** Height of the nearest block at or before one that is on the main chain, which only the hash at its height shows. */
async function lastOnChain(node: NodeRpc, hash: string): Promise<number | undefined> {
  let at = hash;
  for (let step = 0; step < LONGEST_WALK; step++) {
    const header = await headerOf(node, at);
    if (header === undefined) return undefined;
    if ((await hashAt(node, header.height)) === at) return header.height;
    if (header.previousblockhash === undefined) return undefined;
    at = header.previousblockhash;
  }
  return undefined;
}

async function hashAt(node: NodeRpc, height: number): Promise<string | undefined> {
  try {
    return await node.call<string>('getblockhash', [height]);
  } catch (error) {
    if (error instanceof NodeRpcError) return undefined;
    throw error;
  }
}

async function headerOf(node: NodeRpc, hash: string): Promise<Header | undefined> {
  try {
    return await node.call<Header>('getblockheader', [hash, true]);
  } catch (error) {
    if (error instanceof NodeRpcError) return undefined;
    throw error;
  }
}
