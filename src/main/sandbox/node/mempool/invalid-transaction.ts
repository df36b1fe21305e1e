import { toHex } from '../../../../chain/index.ts';
import type { RefusedTransaction } from '../types.ts';

/** The `invalidtx` message for a refused transaction, with keys in the node's order (node-rpc.md section 7). */
export function invalidTransaction(refused: RefusedTransaction): unknown {
  const { txid, raw, from, code, reason, conflictedWith, standard, nonFinal, time } = refused;
  const missing = reason === 'missing-inputs';
  return {
    ...originOf(from),
    txid,
    size: raw.length,
    hex: toHex(raw),
    isInvalid: true,
    // an internal failure of the node; here that fails the call instead
    isValidationError: false,
    isMissingInputs: missing,
    isDoubleSpendDetected: reason === 'txn-double-spend-detected',
    isMempoolConflictDetected: reason === 'txn-mempool-conflict',
    isNonFinal: nonFinal,
    isValidationTimeoutExceeded: reason === 'too-long-validation-time',
    isStandardTx: standard,
    rejectionCode: missing ? 0 : code,
    rejectionReason: missing ? '' : reason,
    collidedWith: conflictedWith ?? [],
    rejectionTime: `${new Date(time).toISOString().slice(0, 19)}Z`,
  };
}

function originOf(from: RefusedTransaction['from']): object {
  if ('source' in from) return { fromBlock: false, source: from.source };
  const { hash, time, height, origins } = from.block;
  return {
    fromBlock: true,
    origins: origins.map((source) => ({ source })),
    blockhash: hash,
    blocktime: time,
    blockheight: height,
  };
}
