import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';

/** Longest walk in blocks. A subscriber that was away for longer has to fetch the blocks itself. */
const LONGEST_WALK = 1_000;

/**
 * Lists the blocks of the main chain after `from`, up to and including `to`, oldest first. If `from` is no longer on the main chain, the
 * list starts after the last block that its branch shares with the main chain.
 * @param from the last known block
 * @param to a newer block
 * @returns an empty list if `to` is not above that block, as with an upstream that is behind, or has been replaced itself; undefined if the two
 *   blocks are not connected, or are too far apart
 * @throws PlanchetError `upstream-*`
 */
export async function blocksUpTo(node: NodeRpc, from: string, to: string): Promise<string[] | undefined> {
  const fork = await lastOnChain(node, from);
  if (fork === undefined) return undefined;
  let header = await headerOf(node, to);
  if (header !== undefined && (header.height <= fork || (await hashAt(node, header.height)) !== to)) return [];
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

/** Height of the nearest block at or before `hash` that is on the main chain. Only the hash at its height proves that. */
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

function hashAt(node: NodeRpc, height: number): Promise<string | undefined> {
  return asked(node, 'getblockhash', [height]);
}

function headerOf(node: NodeRpc, hash: string): Promise<Header | undefined> {
  return asked(node, 'getblockheader', [hash, true]);
}

/** The result of a call; undefined if the node answers with an error. */
async function asked<T>(node: NodeRpc, method: string, params: readonly unknown[]): Promise<T | undefined> {
  try {
    return await node.call<T>(method, params);
  } catch (error) {
    if (error instanceof NodeRpcError) return undefined;
    throw error;
  }
}
