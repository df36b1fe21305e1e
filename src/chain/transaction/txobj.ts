import { fromHex, isHashHex, toHex } from '../encoding/bytes.ts';
import { ChainError } from '../errors.ts';
import { parseP2pkh } from '../keys/address.ts';
import { type Sentence, sentence, sentenceOf } from '../sentence.ts';
import { satoshis } from './amount.ts';
import { requireSpentOutputs } from './sighash.ts';
import { type Tx, type TxInput, type TxOutput, txidOf } from './transaction.ts';
import type { Utxo } from './utxo.ts';

/** An unsigned transaction and the outputs it spends, in the form of the token project API (the object form of bsv.js 1.5). */
export interface TxObj {
  /** Txid of the unsigned form. The signed transaction has a different one. */
  readonly hash: string;
  readonly version: number;
  readonly inputs: readonly TxObjInput[];
  readonly outputs: readonly TxObjOutput[];
  readonly nLockTime: number;
  /** Present with {@link changeIndex}: the change script in words. */
  readonly changeScript?: string;
  readonly changeIndex?: number;
}

interface TxObjInput {
  readonly prevTxId: string;
  readonly outputIndex: number;
  readonly sequenceNumber: number;
  readonly script: string;
  readonly scriptString: string;
  /** The spent output. */
  readonly output: TxObjOutput;
}

interface TxObjOutput {
  readonly satoshis: number;
  /** Hex. */
  readonly script: string;
}

/** The content of a {@link TxObj}. Nothing is proven: values and scripts of spent outputs are claims of the sender. */
export interface ParsedTxObj {
  /** Input scripts are empty. */
  readonly tx: Tx;
  readonly spent: Utxo[];
  readonly changeIndex?: number;
  /** The txid that the sender claims for the unsigned form. The caller compares it with `txidOf(tx)`. */
  readonly hash?: string;
}

/**
 * @param tx unsigned.
 * @param spent the spent outputs, one for each input in order.
 * @param change plain P2PKH script and index of the change output.
 * @throws ChainError `signing-failed` if `spent` does not match the inputs, `txobj-malformed` for a signed input or if the change output
 *   does not match.
 */
export function toTxObj(tx: Tx, spent: readonly Utxo[], change?: { script: Uint8Array; index: number }): TxObj {
  requireSpentOutputs(tx, spent);
  if (tx.inputs.some(({ script }) => script.length > 0)) throw malformed('inputs', 'an input is signed already');
  return {
    hash: txidOf(tx),
    version: tx.version,
    inputs: tx.inputs.map((input, i) => ({
      prevTxId: input.txid,
      outputIndex: input.vout,
      sequenceNumber: input.sequence,
      script: '',
      scriptString: '',
      output: { satoshis: (spent[i] as Utxo).satoshis, script: toHex((spent[i] as Utxo).lockingScript) },
    })),
    outputs: tx.outputs.map((output) => ({ satoshis: output.satoshis, script: toHex(output.script) })),
    nLockTime: tx.lockTime,
    ...(change === undefined ? {} : describeChange(tx, change)),
  };
}

function describeChange(tx: Tx, { script, index }: { script: Uint8Array; index: number }) {
  const pubKeyHash = parseP2pkh(script);
  const output = tx.outputs[index];
  if (pubKeyHash === undefined || output === undefined || toHex(output.script) !== toHex(script)) {
    throw malformed('changeIndex', 'the change is not a plain P2PKH output of the transaction');
  }
  return { changeScript: `OP_DUP OP_HASH160 20 0x${toHex(pubKeyHash)} OP_EQUALVERIFY OP_CHECKSIG`, changeIndex: index };
}

/**
 * Reads a txObj from another party. Unknown keys are ignored. Keys of {@link TxObj} must have their exact form, and inputs must be
 * unsigned.
 * @throws ChainError `txobj-malformed`; `data.at` names the invalid part.
 */
export function parseTxObj(value: unknown): ParsedTxObj {
  const object = record(value, 'txObj');
  const spent: Utxo[] = [];
  const inputs = list(object.inputs, 'inputs').map((item, i) => {
    const { input, utxo } = parseInput(item, `inputs[${i}]`);
    spent.push(utxo);
    return input;
  });
  const outputs = list(object.outputs, 'outputs').map((item, i) => parseOutput(item, `outputs[${i}]`));
  const tx: Tx = {
    version: integer(object.version, 'version', -0x80000000, 0x7fffffff),
    inputs,
    outputs,
    lockTime: integer(object.nLockTime, 'nLockTime', 0, 0xffffffff),
  };
  if (object.changeScript !== undefined && typeof object.changeScript !== 'string')
    throw malformed('changeScript', 'it is not text');
  return {
    tx,
    spent,
    ...(object.changeIndex === undefined
      ? {}
      : { changeIndex: integer(object.changeIndex, 'changeIndex', 0, outputs.length - 1) }),
    ...(object.hash === undefined ? {} : { hash: hashHex(object.hash, 'hash') }),
  };
}

function parseInput(value: unknown, at: string): { input: TxInput; utxo: Utxo } {
  const object = record(value, at);
  if (object.script !== undefined && object.script !== '')
    throw malformed(`${at}.script`, 'the input is signed already');
  const txid = hashHex(object.prevTxId, `${at}.prevTxId`);
  const vout = integer(object.outputIndex, `${at}.outputIndex`, 0, 0xffffffff);
  const sequence = integer(object.sequenceNumber, `${at}.sequenceNumber`, 0, 0xffffffff);
  const output = parseOutput(object.output, `${at}.output`);
  return {
    input: { txid, vout, script: new Uint8Array(0), sequence },
    utxo: { txid, vout, satoshis: output.satoshis, lockingScript: output.script },
  };
}

function parseOutput(value: unknown, at: string): TxOutput {
  const object = record(value, at);
  if (typeof object.script !== 'string') throw malformed(`${at}.script`, 'it is not hex');
  try {
    return { satoshis: satoshis(object.satoshis as number), script: fromHex(object.script) };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw error.code === 'hex-invalid'
      ? malformed(`${at}.script`, 'it is not hex')
      : malformed(`${at}.satoshis`, 'it is not an amount');
  }
}

function malformed(at: string, why: string | Sentence): ChainError {
  const text = sentence('The transaction object cannot be used: {at}: {why}.', { at, why: sentenceOf(why, {}) });
  return new ChainError('txobj-malformed', text, { at });
}

function record(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(at, 'it is not an object');
  return value as Record<string, unknown>;
}

function list(value: unknown, at: string): unknown[] {
  if (!Array.isArray(value)) throw malformed(at, 'it is not a list');
  return value;
}

function integer(value: unknown, at: string, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw malformed(at, sentence('it is not a whole number from {least} to {most}', { least, most }));
}

function hashHex(value: unknown, at: string): string {
  if (isHashHex(value)) return value;
  throw malformed(at, 'it is not 64 lower-case hex digits');
}
