import { isDataOutput, OP, ScriptCursor, type Tx, txSize } from '../../../chain/index.ts';
import type { MinerQuote, PreCheck } from '../../../contract/index.ts';
import { isFreeConsolidation } from './consolidation.ts';
import { dataBytesOf, feeOf, placesText } from './decode.ts';
import type { SourceTransaction } from './read-source.ts';
import type { SpentOutput } from './spent-outputs.ts';

/** What a miner asks and allows. */
export interface MinerTerms {
  readonly name: string;
  readonly quote: MinerQuote;
}

/** What a transaction is checked against. */
export interface CheckContext {
  /** Those that the transaction goes to. A check fails only where every one of them would refuse. */
  readonly terms: readonly MinerTerms[];
  /** Length of the longest chain of unconfirmed ancestors, as far as it is known. */
  readonly ancestors: number;
  /** Highest fee in satoshis. */
  readonly maxFee: number;
}

/** Most signature operations that one OP_CHECKMULTISIG stands for. */
const MOST_MULTISIG_KEYS = 20;

/** What to do about a check that failed. */
export const checkAdvice: Readonly<Record<PreCheck['code'], string>> = {
  unsigned: 'Sign every input before you submit it.',
  'input-missing':
    'Submit its parents first, or together with it. If the node is behind, wait; or send it all the same with force.',
  'input-spent':
    'The first of the two usually wins. Build a new transaction with other coins, or send it all the same with force.',
  'outputs-exceed-inputs': 'No miner can take it. Build it again.',
  fee: 'Build it again with a higher fee, or use another miner; force sends it as it is.',
  'fee-high':
    'Build it again with change. If the fee is meant, raise the setting maxFeeSatoshis, or send it with force.',
  size: 'Divide it, or use another miner; the list of miners has their limits.',
  'script-size': 'Divide the data, or use another miner; the list of miners has their limits.',
  ancestors: 'Send it after the next block.',
  sigops: 'Divide it, or use another miner; the list of miners has their limits.',
};

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
  const add = (
    code: PreCheck['code'],
    text: string,
    value: number | null = null,
    limit: number | null = null,
  ): void => {
    failed.push({ code, text, value, limit, skippable: code !== 'outputs-exceed-inputs' });
  };
  const where = (test: (input: SpentOutput) => boolean): number[] =>
    spent.flatMap((input, i) => (test(input) ? [i] : []));

  const unsigned = tx.inputs.flatMap(({ script }, i) => (script.length === 0 ? [i] : []));
  if (unsigned.length > 0) add('unsigned', `Input ${placesText(unsigned)} is not signed.`, unsigned.length, 0);
  const missing = where(({ state }) => state === 'missing');
  if (missing.length > 0)
    add(
      'input-missing',
      `The node does not know the coin of input ${placesText(missing)}, or a block spends it.`,
      missing.length,
      0,
    );
  const taken = where(({ state, spentBy }) => state === 'spent' && spentBy !== txid);
  if (taken.length > 0) {
    const rival = spent[taken[0] ?? 0]?.spentBy ?? 'Another transaction';
    add('input-spent', `${rival} spends the coin of input ${placesText(taken)} as well.`, taken.length, 0);
  }
  const fee = feeOf(tx, spent);
  if (fee !== null && fee < 0)
    add('outputs-exceed-inputs', `The outputs pay ${-fee} satoshis more than the inputs hold.`, -fee, 0);
  else if (fee !== null && !terms.some(({ quote }) => isFreeConsolidation(tx, spent, quote.policies)))
    checkFee(tx, fee, terms, add);
  if (fee !== null && fee > maxFee)
    add('fee-high', `It pays ${fee} satoshis to the miner; the limit is ${maxFee}.`, fee, maxFee);

  checkLimit('size', txSize(tx), 'bytes', 'maxtxsizepolicy', terms, add);
  checkLimit('script-size', longestScript(tx), 'bytes in a script', 'maxscriptsizepolicy', terms, add);
  checkLimit('sigops', signatureOperations(tx), 'signature operations', 'maxtxsigopscountspolicy', terms, add);
  // A miner takes a transaction whose chain of ancestors is shorter than this.
  checkLimit('ancestors', ancestors + 1, 'unconfirmed transactions in a chain', 'limitancestorcount', terms, add);
  return failed;
}

type Add = (code: PreCheck['code'], text: string, value: number, limit: number) => void;

function checkFee(tx: Tx, fee: number, terms: readonly MinerTerms[], add: Add): void {
  if (terms.length === 0) return;
  const cheapest = terms
    .map(({ name, quote }) => ({ name, asked: leastFee(tx, quote) }))
    .reduce((best, next) => (next.asked.total < best.asked.total ? next : best));
  const { name, asked } = cheapest;
  if (fee >= asked.total) return;
  const parts = asked.data > 0 ? ` (${asked.total - asked.data} and ${asked.data} for data)` : '';
  add('fee', `It pays ${fee} satoshis; ${name} asks ${asked.total}${parts} for ${txSize(tx)} bytes.`, fee, asked.total);
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
  code: PreCheck['code'],
  value: number,
  unit: string,
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
  add(code, `It has ${value} ${unit}; ${widest.miner} allows ${widest.limit}.`, value, widest.limit);
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
