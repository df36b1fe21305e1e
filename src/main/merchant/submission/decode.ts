import {
  addressNetwork,
  chronicleUse,
  encodeAddress,
  FINAL_SEQUENCE,
  formatOutpoint,
  isCoinbase,
  isDataOutput,
  isRateAbove,
  type Outpoint,
  ownerKeyHash,
  type Tx,
  toHex,
  txSize,
} from '../../../chain/index.ts';
import {
  type DecodedTransaction,
  MAX_LISTED_PARTS,
  type Network,
  type Phrase,
  type PhraseValues,
  type PreCheck,
  phrase,
  phraseText,
  type TransactionState,
  type TransactionWarning,
} from '../../../contract/index.ts';
import { shortAsm, viewData, viewInscription } from '../../node-format/script-parts.ts';
import type { SourceTransaction } from './read-source.ts';
import type { SpentOutput } from './spent-outputs.ts';

/** A larger transaction is not repeated in the answer. */
const MAX_REPEATED_BYTES = 1_000_000;
/** Places that a warning names at most. */
const MAX_NAMED = 5;
/** A lock time below this is a height, from it on a time in seconds. */
const LOCK_TIME_IS_TIME = 500_000_000;

export interface DecodeContext {
  readonly network: Network;
  /** Satoshis per 1,000 bytes above which a person should look twice: the setting `maxFeeRate`. */
  readonly maxFeeRate: number;
  /** Height of the next block; null where the tip is not known. */
  readonly nextHeight: number | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** By outpoint, the transactions of the same source that spend it. */
  readonly spenders: ReadonlyMap<string, readonly string[]>;
}

/** A transaction for a person, with what should be known before it is sent. */
export function decodeTransaction(
  { txid, format, raw, tx }: SourceTransaction,
  spent: readonly SpentOutput[],
  checks: readonly PreCheck[],
  state: TransactionState | null,
  context: DecodeContext,
): DecodedTransaction {
  const { network } = context;
  const fee = feeOf(tx, spent);
  return {
    txid,
    format,
    version: tx.version,
    lockTime: tx.lockTime,
    bytes: raw.length,
    dataBytes: dataBytesOf(tx),
    rawTx: raw.length > MAX_REPEATED_BYTES ? null : toHex(raw),
    fee: fee !== null && fee >= 0 ? fee : null,
    feeRate: fee !== null && fee >= 0 ? Math.round((fee * 1_000_000) / raw.length) / 1_000 : null,
    inputCount: tx.inputs.length,
    outputCount: tx.outputs.length,
    inputs: tx.inputs.slice(0, MAX_LISTED_PARTS).map((input, i) => {
      const { output, source } = spent[i] as SpentOutput;
      return {
        txid: input.txid,
        vout: input.vout,
        satoshis: output?.satoshis ?? null,
        address: addressOf(output?.script, network),
        scriptAsm: shortAsm(input.script, true),
        sequence: input.sequence,
        source,
        inscription: output === undefined ? null : viewInscription(output.script),
      };
    }),
    outputs: tx.outputs.slice(0, MAX_LISTED_PARTS).map((output, index) => ({
      index,
      satoshis: output.satoshis,
      address: addressOf(output.script, network),
      scriptAsm: shortAsm(output.script, false),
      inscription: viewInscription(output.script),
      data: viewData(output.script),
    })),
    warnings: warningsOf(txid, tx, spent, fee, context),
    checks: [...checks],
    state,
  };
}

/** @returns by outpoint, the transactions that spend it */
export function spendersIn(transactions: readonly SourceTransaction[]): Map<string, string[]> {
  const spenders = new Map<string, string[]>();
  for (const { txid, tx } of transactions)
    for (const input of isCoinbase(tx) ? [] : tx.inputs) {
      const outpoint = formatOutpoint(input);
      const known = spenders.get(outpoint);
      if (known === undefined) spenders.set(outpoint, [txid]);
      else if (!known.includes(txid)) known.push(txid);
    }
  return spenders;
}

/** Satoshis that the inputs hold above what the outputs pay, below zero for an impossible transaction; null where a value is not known. */
export function feeOf(tx: Tx, spent: readonly SpentOutput[]): number | null {
  if (isCoinbase(tx)) return null;
  let fee = 0;
  for (const { output } of spent) {
    if (output === undefined) return null;
    fee += output.satoshis;
  }
  for (const { satoshis } of tx.outputs) fee -= satoshis;
  return fee;
}

/** Bytes that miners charge at their rate for data. */
export function dataBytesOf(tx: Tx): number {
  return tx.outputs.reduce((sum, { script }) => (isDataOutput(script) ? sum + script.length : sum), 0);
}

/** Places from 0, the first of them by their number. */
export function placesOf(indexes: readonly number[]): PhraseValues[string] {
  const places = indexes.slice(0, MAX_NAMED).join(', ');
  const more = indexes.length - MAX_NAMED;
  return more > 0 ? phrase('check.more-places', { places, more }) : places;
}

function warningsOf(
  txid: string,
  tx: Tx,
  spent: readonly SpentOutput[],
  fee: number | null,
  { maxFeeRate, nextHeight, now, spenders }: DecodeContext,
): TransactionWarning[] {
  const warnings: TransactionWarning[] = [];
  const warn = (code: TransactionWarning['code'], sentence: Phrase): void =>
    void warnings.push({ code, text: phraseText(sentence), sentence });
  const where = (list: readonly boolean[]): number[] => list.flatMap((is, i) => (is ? [i] : []));

  const unsigned = where(tx.inputs.map(({ script }) => script.length === 0));
  if (unsigned.length > 0) warn('unsigned', phrase('check.unsigned', { inputs: placesOf(unsigned) }));
  const isFinal = tx.lockTime === 0 || tx.inputs.every(({ sequence }) => sequence === FINAL_SEQUENCE);
  const limit = tx.lockTime < LOCK_TIME_IS_TIME ? nextHeight : Math.floor(now / 1_000);
  if (!isFinal && limit !== null && tx.lockTime >= limit)
    warn(
      'not-final',
      tx.lockTime < LOCK_TIME_IS_TIME
        ? phrase('check.not-final-height', { height: tx.lockTime + 1 })
        : phrase('check.not-final-time', { time: new Date(tx.lockTime * 1_000).toISOString() }),
    );
  const missing = where(spent.map(({ state }) => state === 'missing'));
  if (missing.length > 0 && !isCoinbase(tx))
    warn('input-unknown', phrase('check.input-unknown', { inputs: placesOf(missing) }));
  const unchecked = where(spent.map(({ state }) => state === 'unchecked'));
  if (unchecked.length > 0 && !isCoinbase(tx))
    warn('input-unchecked', phrase('check.input-unchecked', { inputs: placesOf(unchecked) }));
  const disputed = disputedPhrase(spent);
  if (disputed) warn('input-disputed', disputed);
  const taken = where(spent.map(({ state, spentBy }) => state === 'spent' && spentBy !== txid));
  if (taken.length > 0) {
    const { code, sentence } = takenPhrase(taken, spent);
    warn(code, sentence);
  }
  const rivalOf = (input: Outpoint): string | undefined =>
    spenders.get(formatOutpoint(input))?.find((spender) => spender !== txid);
  const rivals = tx.inputs.map(rivalOf);
  const rival = rivals.find((one) => one !== undefined);
  if (rival !== undefined)
    warn(
      'input-twice',
      phrase('check.input-twice', { txid: rival, inputs: placesOf(where(rivals.map((one) => one === rival))) }),
    );
  for (const { index, isInscribed } of tokensSpentAsMoney(tx, spent).slice(0, MAX_NAMED))
    warn('token-spent', phrase(isInscribed ? 'check.token-spent' : 'check.satoshi-spent', { input: index }));
  const burnt = where(tx.outputs.map(({ satoshis, script }) => satoshis > 0 && isDataOutput(script)));
  if (burnt.length > 0) warn('money-in-data', phrase('check.money-in-data', { outputs: placesOf(burnt) }));
  if (fee !== null && fee < 0) warn('outputs-exceed-inputs', phrase('check.outputs-exceed-inputs', { satoshis: -fee }));
  if (fee !== null && fee > 0 && isRateAbove({ satoshis: fee, bytes: txSize(tx) }, maxFeeRate)) {
    const rate = Math.floor((fee * 1_000) / txSize(tx));
    warn('fee-high', phrase('check.fee-rate-high', { fee, rate, limit: maxFeeRate }));
  }
  if (chronicleUse(tx).isMalleable) warn('malleable', phrase('check.malleable'));
  return warnings;
}

/** Where those that tell of spent outputs do not agree; undefined where they do. */
export function disputedPhrase(spent: readonly SpentOutput[]): Phrase | undefined {
  const places = spent.flatMap(({ disputed }, index) => (disputed ? [index] : []));
  if (places.length === 0) return undefined;
  const values = new Set(spent[places[0] ?? 0]?.disputed);
  return phrase('check.input-disputed', { inputs: placesOf(places), values: [...values].join(', ') });
}

/**
 * Who spends coins as well. One that a block holds comes first, since it has won; else the spender of the first input is named.
 * @param taken inputs whose coins another transaction spends, at least one
 */
export function takenPhrase(
  taken: readonly number[],
  spent: readonly SpentOutput[],
): { code: 'input-spent' | 'input-mined'; sentence: Phrase } {
  const mined = taken.find((index) => spent[index]?.spentAt !== undefined);
  const { spentBy: txid, spentAt: height } = spent[mined ?? taken[0] ?? 0] ?? {};
  const inputs = placesOf(mined === undefined ? taken : taken.filter((index) => spent[index]?.spentBy === txid));
  if (txid === undefined) return { code: 'input-spent', sentence: phrase('check.input-spent', { inputs }) };
  return height === undefined
    ? { code: 'input-spent', sentence: phrase('check.input-spent-by', { inputs, txid }) }
    : { code: 'input-mined', sentence: phrase('check.input-mined', { inputs, txid, height }) };
}

/**
 * Inputs that spend an output of one satoshi, as tokens are, whose satoshi no output of one satoshi takes. Satoshis go through a transaction
 * in order: the first of the inputs to the first output, and so on.
 */
function tokensSpentAsMoney(tx: Tx, spent: readonly SpentOutput[]): { index: number; isInscribed: boolean }[] {
  const lost: { index: number; isInscribed: boolean }[] = [];
  let offset = 0;
  for (const [index, { output }] of spent.entries()) {
    // Without every value before it, nobody can tell where a token goes.
    if (output === undefined) break;
    const isInscribed = output.satoshis === 1 && viewInscription(output.script) !== null;
    if (output.satoshis === 1 && receiverOf(tx, offset) !== 1) lost.push({ index, isInscribed });
    offset += output.satoshis;
  }
  return lost;
}

/** Value of the output that takes the satoshi at this place; undefined where it goes to the fee. */
function receiverOf(tx: Tx, offset: number): number | undefined {
  let end = 0;
  for (const { satoshis } of tx.outputs) {
    end += satoshis;
    if (offset < end) return satoshis;
  }
  return undefined;
}

function addressOf(script: Uint8Array | undefined, network: Network): string | null {
  const pubKeyHash = script && ownerKeyHash(script);
  return pubKeyHash ? encodeAddress(pubKeyHash, addressNetwork(network)) : null;
}
