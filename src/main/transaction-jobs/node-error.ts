import { PlanchetError } from '../../contract/index.ts';
import { NodeRpcError } from '../ports/node.ts';

/** What to throw where the node could not say: an error of the node itself becomes a PlanchetError `upstream-error`, anything else stays as it is. */
export function nodeError(error: unknown): unknown {
  if (!(error instanceof NodeRpcError)) return error;
  return new PlanchetError('chain.node-error', { reason: error.message.slice(0, 300) }, { cause: error });
}
