import { txidOf } from '../../../chain/index.ts';
import { NodeRpcError } from '../../ports/node.ts';
import type { SandboxNode } from '../node/node.ts';
import type { NodeRpcDispatcher } from '../node/rpc/dispatcher.ts';
import type { Faults } from './faults.ts';

const MEMPOOL_FULL = { ok: false, code: 66, reason: 'mempool full' } as const;

/** Submits transactions to the node, unless the fault `mempool-full` is enabled. */
export function submitter(node: SandboxNode, faults: Faults): SandboxNode['submitBatch'] {
  return async (transactions, options) => {
    if (faults.take('mempool-full') === undefined) return node.submitBatch(transactions, options);
    return transactions.map((given) => ({
      ...MEMPOOL_FULL,
      txid: given instanceof Uint8Array ? txidOf(given) : given.txid,
    }));
  };
}

/** The node's RPC commands with the same fault. */
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
