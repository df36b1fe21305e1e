import {
  ChainError,
  classifyInSteps,
  FINAL_SEQUENCE,
  formatOutpoint,
  isCoinbase,
  isDataOutput,
  MAX_SATOSHIS,
  parseTx,
  parseTxInSteps,
  type Rate,
  requiredFee,
  runSteps,
  type Satoshis,
  type Steps,
  satoshis,
  type Tx,
  toHex,
} from '../../../../chain/index.ts';
import { isScriptHash } from '../../../node-format/views.ts';
import type { ConflictingTransaction, NodeUtxo, Rejection } from '../types.ts';
import { COINBASE_MATURITY, LOCKTIME_THRESHOLD, policy } from './consensus.ts';

/** The node's reject codes. */
export const reject = {
  malformed: 1,
  invalid: 16,
  duplicate: 18,
  nonStandard: 64,
  fee: 66,
  full: 259,
  highFee: 256,
  known: 257,
  conflict: 258,
} as const;

const NULL_TXID = '0'.repeat(64);

const invalid = (reason: string): Rejection => ({ code: reject.invalid, reason });

/** Parses a transaction, or returns why it is refused. @param raw is shared with the result and must not be modified */
export function readTransaction(raw: Uint8Array): Tx | Rejection {
  return runSteps(readTransactionInSteps(raw));
}

/** Larger transactions are parsed in steps, which takes twice as long. */
export const LONG_BYTES = 131_072;

/** Same as {@link readTransaction}, in steps. */
export function* readTransactionInSteps(raw: Uint8Array): Steps<Tx | Rejection> {
  // checked first, so that an oversized transaction costs nothing
  if (raw.length > policy.maxTxBytes) return { code: reject.nonStandard, reason: 'tx-size' };
  try {
    return raw.length > LONG_BYTES ? yield* parseTxInSteps(raw) : parseTx(raw, true);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    // the codec already refuses impossible amounts
    if (error.data.satoshis !== undefined) return invalid('bad-txns-vout-toolarge');
    if (typeof error.data.high === 'number') {
      return invalid(error.data.high >= 0x8000_0000 ? 'bad-txns-vout-negative' : 'bad-txns-vout-toolarge');
    }
    return { code: reject.malformed, reason: 'tx-malformed' };
  }
}

export const STEP_INPUTS = 4_096;

/** Spent outpoints as `<txid>_<vout>`, in steps. */
export function* outpointsOf(tx: Tx): Steps<Set<string>> {
  const outpoints = new Set<string>();
  for (const [index, input] of tx.inputs.entries()) {
    outpoints.add(formatOutpoint(input));
    if (index % STEP_INPUTS === STEP_INPUTS - 1) yield '';
  }
  return outpoints;
}

/**
 * Context-free rules of a transaction. Coinbases are refused here, because they are allowed only in blocks.
 * @param outpoints spent outpoints, if already known
 */
export function checkTransaction(tx: Tx, outpoints?: ReadonlySet<string>): Rejection | undefined {
  if (isCoinbase(tx)) return invalid('bad-tx-coinbase');
  if (tx.inputs.length === 0) return invalid('bad-txns-vin-empty');
  if (tx.outputs.length === 0) return invalid('bad-txns-vout-empty');
  if (totalOf(tx.outputs) > MAX_SATOSHIS) return invalid('bad-txns-txouttotal-toolarge');
  if (tx.inputs.length > 1 && (outpoints ?? new Set(tx.inputs.map(formatOutpoint))).size !== tx.inputs.length)
    return invalid('bad-txns-inputs-duplicate');
  if (tx.inputs.some(({ txid, vout }) => txid === NULL_TXID && vout === 0xffffffff)) {
    return invalid('bad-txns-prevout-null');
  }
  return undefined;
}

/**
 * Context-free policy rules, and the rule on P2SH outputs: blocks are not held to it, because chains from before it was checked have some.
 * @param size in bytes
 */
export function checkStandard(tx: Tx, size: number): Rejection | undefined {
  if (tx.outputs.some(({ script }) => isScriptHash(script))) return invalid('bad-txns-vout-p2sh');
  if (size > policy.maxTxBytes) return { code: reject.nonStandard, reason: 'tx-size' };
  if (tx.version < 1 || tx.version > policy.maxTxVersion) return { code: reject.nonStandard, reason: 'version' };
  for (const { satoshis, script } of tx.outputs) {
    if (satoshis < policy.dustSatoshis && !isDataOutput(script)) return { code: reject.nonStandard, reason: 'dust' };
  }
  return undefined;
}

/** Maximum public keys of a standard multisig output. */
const STANDARD_KEYS = 3;

const STEP_OUTPUTS = 512;

/** True if every output has a standard form, in steps. Other forms are accepted too; the node only reports it. */
export function* isStandard(tx: Tx): Steps<boolean> {
  for (const [index, { script }] of tx.outputs.entries()) {
    if (index % STEP_OUTPUTS === STEP_OUTPUTS - 1) yield '';
    const { type, pubKeyHashes } = yield* classifyInSteps(script);
    if (type === 'nonstandard') return false;
    if (type === 'multisig' && (pubKeyHashes === undefined || pubKeyHashes.length > STANDARD_KEYS)) return false;
  }
  return true;
}

/**
 * True if the transaction is final in a block of this height.
 * @param medianTime median time past before that block, in seconds.
 */
export function isFinal(tx: Tx, height: number, medianTime: number): boolean {
  if (tx.lockTime === 0 || tx.lockTime < (tx.lockTime < LOCKTIME_THRESHOLD ? height : medianTime)) return true;
  return tx.inputs.every(({ sequence }) => sequence === FINAL_SEQUENCE);
}

/**
 * Checks amounts and coinbase maturity of the spent outputs.
 * @param spent one for each input, in order.
 * @param height of the block that would contain the transaction.
 * @returns the fee, or the rejection.
 */
export function checkSpending(tx: Tx, spent: readonly NodeUtxo[], height: number): Satoshis | Rejection {
  if (spent.some((utxo) => utxo.coinbase && height - (utxo.height ?? height) < COINBASE_MATURITY)) {
    return invalid('bad-txns-premature-spend-of-coinbase');
  }
  const valueIn = totalOf(spent);
  if (valueIn > MAX_SATOSHIS) return invalid('bad-txns-inputvalues-outofrange');
  const valueOut = totalOf(tx.outputs);
  return valueIn < valueOut ? invalid('bad-txns-in-belowout') : satoshis(valueIn - valueOut);
}

/** The fee rule of wire notes 3.7: a fee at the relay rate or above is accepted, unless a service asks for another rate. */
export function checkFee(tx: Tx, fee: Satoshis, rate: Rate = policy.relayFee): Rejection | undefined {
  const least = requiredFee(tx, { standard: rate, data: rate });
  return fee < least ? { code: reject.fee, reason: 'mempool min fee not met' } : undefined;
}

/** The conflicting transaction, as reported with rejections. */
export function conflicting({ txid, raw }: { txid: string; raw: Uint8Array }): ConflictingTransaction {
  return { txid, size: raw.length, hex: toHex(raw) };
}

function totalOf(amounts: readonly { readonly satoshis: Satoshis }[]): number {
  let sum = 0;
  for (const { satoshis } of amounts) sum += satoshis;
  return sum;
}
