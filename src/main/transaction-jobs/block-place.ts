import { PlanchetError } from '../../contract/index.ts';
import { isNotKnown, type NodeRpc } from '../ports/node.ts';
import { nodeError } from './node-error.ts';

export interface BlockPlace {
  readonly hash: string;
  readonly height: number;
}

/**
 * The block of the main chain that holds a transaction: null while none does, undefined where the node does not know the transaction.
 * @throws PlanchetError `upstream-*`
 */
export async function blockOf(node: NodeRpc, txid: string): Promise<BlockPlace | null | undefined> {
  try {
    const { blockhash } = await object(node, 'getrawtransaction', [txid, true]);
    return typeof blockhash === 'string' && blockhash !== '' ? ((await mainBlock(node, blockhash)) ?? null) : null;
  } catch (error) {
    if (isNotKnown(error)) return undefined;
    throw nodeError(error);
  }
}

/** A block's place in the main chain; undefined where it is not, or no longer, part of it. @throws PlanchetError `upstream-*` */
export async function mainBlock(node: NodeRpc, hash: string): Promise<BlockPlace | undefined> {
  try {
    const { height } = await object(node, 'getblockheader', [hash, true]);
    if (typeof height !== 'number') throw malformed('getblockheader');
    // Some nodes count confirmations for the blocks of dead branches too: only the hash at its height shows where a block is.
    const main = await node.call<string>('getblockhash', [height]);
    return main === hash ? { hash, height } : undefined;
  } catch (error) {
    if (isNotKnown(error)) return undefined;
    throw nodeError(error);
  }
}

async function object(node: NodeRpc, method: string, params: readonly unknown[]): Promise<Record<string, unknown>> {
  const answer = await node.call<unknown>(method, params);
  if (typeof answer !== 'object' || answer === null) throw malformed(method);
  return answer as Record<string, unknown>;
}

function malformed(method: string): PlanchetError {
  return new PlanchetError('chain.answer-malformed', { method });
}
