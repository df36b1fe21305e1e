import { isDataOutput, OP, ScriptCursor, type Tx, txSize } from '../../../chain/index.ts';
import { type MinerQuote, type Phrase, type PreCheck, phrase, phraseText } from '../../../contract/index.ts';
import { isFreeConsolidation } from './consolidation.ts';
import { dataBytesOf, disputedPhrase, feeOf, placesOf, takenPhrase } from './decode.ts';
import type { SourceTransaction } from './read-source.ts';
import type { SpentOutput } from './spent-outputs.ts';

export interface MinerTerms {
  readonly name: string;
  readonly quote: MinerQuote;
}

export interface CheckContext {
  /** Those that the transaction goes to. A check fails only where every one of them would refuse. */
  readonly terms: readonly MinerTerms[];
  /** Length of the longest chain of unconfirmed ancestors, as far as it is known. */
  readonly ancestors: number;
  readonly maxFee: number;
}

/** Most signature operations that one OP_CHECKMULTISIG stands for. */
const MOST_MULTISIG_KEYS = 20;

/**
 * What would make every miner refuse a transaction, as far as that is known before it is sent.
 * @param spent what each input spends
 */
export function preChecks(
  { txid, tx }: SourceTransaction,
  spent: readonly SpentOutput[],
  { terms, ancestors, maxFee }: CheckContext,
): PreCheck[] {
  const failed: PreCheck[] = [];
  const add: Add = (code, sentence, value, limit) => {
    const skippable = code !== 'outputs-exceed-inputs';
    failed.push({ code, text: phraseText(sentence), sentence, value, limit, skippable });
  };
  const where = (test: (input: SpentOutput) => boolean): number[] =>
    spent.flatMap((input, i) => (test(input) ? [i] : []));

  const unsigned = tx.inputs.flatMap(({ script }, i) => (script.length === 0 ? [i] : []));
  if (unsigned.length > 0)
    add('unsigned', phrase('check.unsigned', { inputs: placesOf(unsigned) }), unsigned.length, 0);
  const missing = where(({ state }) => state === 'missing');
  if (missing.length > 0)
    add('input-missing', phrase('check.input-missing', { inputs: placesOf(missing) }), missing.length, 0);
  const taken = where(({ state, spentBy }) => state === 'spent' && spentBy !== txid);
  if (taken.length > 0) {
    const { code, sentence } = takenPhrase(taken, spent);
    add(code, sentence, taken.length, 0);
  }
  const disputed = disputedPhrase(spent);
  if (disputed) add('input-disputed', disputed, where((input) => input.disputed !== undefined).length, 0);
  const fee = feeOf(tx, spent);
  if (fee !== null && fee < 0)
    add('outputs-exceed-inputs', phrase('check.outputs-exceed-inputs', { satoshis: -fee }), -fee, 0);
  else if (fee !== null && !terms.some(({ quote }) => isFreeConsolidation(tx, spent, quote.policies)))
    checkFee(tx, fee, terms, add);
  if (fee !== null && fee > maxFee) add('fee-high', phrase('check.fee-high', { fee, limit: maxFee }), fee, maxFee);

  checkLimit('size', txSize(tx), 'maxtxsizepolicy', terms, add);
  checkLimit('script-size', longestScript(tx), 'maxscriptsizepolicy', terms, add);
  checkLimit('sigops', signatureOperations(tx), 'maxtxsigopscountspolicy', terms, add);
  // A miner takes a transaction whose chain of ancestors is shorter than this.
  checkLimit('ancestors', ancestors + 1, 'limitancestorcount', terms, add);
  return failed;
}

type Add = (code: PreCheck['code'], sentence: Phrase, value: number, limit: number) => void;

function checkFee(tx: Tx, fee: number, terms: readonly MinerTerms[], add: Add): void {
  if (terms.length === 0) return;
  const cheapest = terms
    .map(({ name, quote }) => ({ name, asked: leastFee(tx, quote) }))
    .reduce((best, next) => (next.asked.total < best.asked.total ? next : best));
  const { name, asked } = cheapest;
  if (fee >= asked.total) return;
  const { total, data } = asked;
  const values = { fee, miner: name, asked: total, bytes: txSize(tx) };
  const sentence =
    data > 0 ? phrase('check.fee-with-data', { ...values, standard: total - data, data }) : phrase('check.fee', values);
  add('fee', sentence, fee, total);
}

/**
 * The least that a miner takes: its mining fee or its relay fee, whichever is lower, each with data and other bytes rounded down separately
 * (mAPI reference).
 */
function leastFee(tx: Tx, { standard, data, relay }: MinerQuote): { total: number; data: number } {
  const dataBytes = dataBytesOf(tx);
  const otherBytes = txSize(tx) - dataBytes;
  const fees = [{ standard, data }, ...(relay === null ? [] : [relay])].map((rates) => {
    const forData = floored(dataBytes, rates.data);
    return { total: floored(otherBytes, rates.standard) + forData, data: forData };
  });
  return fees.reduce((least, next) => (next.total < least.total ? next : least));
}

function floored(bytes: number, rate: { satoshis: number; bytes: number }): number {
  return Number((BigInt(bytes) * BigInt(rate.satoshis)) / BigInt(rate.bytes));
}

/** @param name of the limit in a policy quote; a miner that names none, or no positive one, sets none */
function checkLimit(
  code: 'size' | 'script-size' | 'sigops' | 'ancestors',
  value: number,
  name: string,
  terms: readonly MinerTerms[],
  add: Add,
): void {
  let widest: { miner: string; limit: number } | undefined;
  for (const { name: miner, quote } of terms) {
    const limit = quote.policies[name];
    if (typeof limit !== 'number' || !(limit > 0)) return;
    if (widest === undefined || limit > widest.limit) widest = { miner, limit };
  }
  if (widest === undefined || value <= widest.limit) return;
  add(code, phrase(`check.${code}`, { value, ...widest }), value, widest.limit);
}

function longestScript({ inputs, outputs }: Tx): number {
  return [...inputs, ...outputs].reduce((longest, { script }) => Math.max(longest, script.length), 0);
}

/** Signature operations as nodes count them, without running a script. Data outputs never run. */
function signatureOperations({ inputs, outputs }: Tx): number {
  let count = 0;
  for (const { script } of [...inputs, ...outputs]) {
    if (isDataOutput(script)) continue;
    const cursor = new ScriptCursor(script);
    let last = 0;
    for (let chunk = cursor.next(); chunk; chunk = cursor.next()) {
      if (chunk.op === OP.CHECKSIG || chunk.op === OP.CHECKSIGVERIFY) count += 1;
      if (chunk.op === OP.CHECKMULTISIG || chunk.op === OP.CHECKMULTISIGVERIFY)
        count += last >= OP.ONE && last <= OP.SIXTEEN ? last - OP.ONE + 1 : MOST_MULTISIG_KEYS;
      last = chunk.op;
    }
  }
  return count;
}
