import { txidOf } from '../../chain/index.ts';
import { NodeRpcError } from '../ports.ts';
import type { Faults } from './faults.ts';
import type { SandboxNode, SubmitOptions, SubmitResult } from './node/node.ts';
import type { NodeRpcDispatcher } from './node/rpc.ts';

const MEMPOOL_FULL = { ok: false, code: 66, reason: 'mempool full' } as const;

type Submit = (raws: readonly Uint8Array[], options?: SubmitOptions) => Promise<SubmitResult[]>;

/** Hands transactions to the node, unless its mempool is to seem full (fault `mempool-full`). */
export function submitter(node: SandboxNode, faults: Faults): Submit {
  return async (raws, options) => {
    if (faults.take('mempool-full') === undefined) return node.submitBatch(raws, options);
    return raws.map((raw) => ({ ...MEMPOOL_FULL, txid: txidOf(raw) }));
  };
}

/** The node's commands under the same fault. */
export function faultyRpc(rpc: NodeRpcDispatcher, faults: Faults): NodeRpcDispatcher {
  return {
    ...rpc,
    dispatch: async (method, params) => {
      if (method.startsWith('sendrawtransaction') && faults.take('mempool-full') !== undefined) {
        throw new NodeRpcError(-26, `${MEMPOOL_FULL.code}: ${MEMPOOL_FULL.reason}`);
      }
      return rpc.dispatch(method, params);
    },
  };
}
