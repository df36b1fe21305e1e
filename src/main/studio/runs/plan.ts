import { createHash } from 'node:crypto';
import {
  feeFor,
  feeWithRoom,
  LEAST_CHANGE,
  P2PKH_INPUT_BYTES,
  P2PKH_OUTPUT_BYTES,
  satoshis,
  varintSize,
} from '../../../chain/index.ts';
import {
  type Failure,
  MAX_PLAN_TRANSACTIONS,
  MAX_ROYALTIES,
  type Network,
  PlanchetError,
  type PlannedTransaction,
  type RunPlan,
} from '../../../contract/index.ts';
import type { FeeRate } from '../../ports/merchant/merchant.ts';
import type { CoinsFrom, MintWallet } from '../../ports/wallet.ts';
import {
  type Circumstances,
  coinsFor,
  feeTooHigh,
  royaltiesIn,
  SAMPLE_COLLECTION,
  tokenSizes,
  tooLittleMoney,
} from '../minting/estimate.ts';
import { mintSizes } from '../minting/size.ts';
import type { ItemRow } from '../tables.ts';

/** Bounds of one mint transaction of a run. */
export interface RunLimits {
  readonly minTokens: number;
  readonly maxTokens: number;
  /** Of the tokens' files. A larger file has a transaction of its own. */
  readonly maxContentBytes: number;
  /** Of the whole transaction, where the miner sets a limit. */
  readonly maxTxBytes?: number;
}

/**
 * 250 tokens keep the reviews and the service's replies small; 2 MB is well below the 10 MB nodes take by default, also as the base64 and hex
 * text of the APIs.
 */
export const runLimits: RunLimits = { minTokens: 25, maxTokens: 250, maxContentBytes: 2_000_000 };

/** Fewest transactions that a run is divided into, if each has tokens enough: they are made at the same time. */
const SIDE_BY_SIDE = 8;
/** What a coin for a mint holds above its highest fee. */
const SPARE = 54;
/** Fewest inputs that the shown fee of the split is for; the wallet chooses them. */
const USUAL_SPLIT_INPUTS = 2;

/** One transaction of the plan with its items. */
export interface Batch {
  readonly planned: PlannedTransaction;
  readonly rows: readonly ItemRow[];
}

/**
 * Divides drafts into transactions: the collection token first, then the items in the order of the project.
 * @param inBase64 see {@link priced}
 */
export function divide(rows: readonly ItemRow[], limits: RunLimits, inBase64 = false): ItemRow[][] {
  const { maxTxBytes = Number.POSITIVE_INFINITY } = limits;
  const collection = rows.filter(({ sub_type }) => sub_type === 'collection');
  const items = rows.filter(({ sub_type }) => sub_type !== 'collection');
  const wanted = Math.ceil(items.length / SIDE_BY_SIDE);
  const tokens = Math.min(limits.maxTokens, Math.max(limits.minTokens, wanted));
  const batches: ItemRow[][] = collection.map((row) => [row]);
  let batch: ItemRow[] = [];
  let bytes = 0;
  let weight = FRAME_BYTES;
  for (const row of items) {
    const size = Number(row.bytes);
    const own = Number.isFinite(maxTxBytes) ? weightOf(row, inBase64) : 0;
    const isFull = batch.length >= tokens || bytes + size > limits.maxContentBytes || weight + own > maxTxBytes;
    if (batch.length > 0 && isFull) {
      batches.push(batch);
      batch = [];
      bytes = 0;
      weight = FRAME_BYTES;
    }
    batch.push(row);
    bytes += size;
    weight += own;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** Bytes of a mint without tokens, and room for the longer count of its outputs. */
const FRAME_BYTES = mintSizes([])(1) + 8;

/** Bytes that a token adds to its transaction. */
function weightOf(row: ItemRow, inBase64: boolean): number {
  return mintSizes(tokenSizes([row], SAMPLE_COLLECTION, inBase64))(1) - mintSizes([])(1);
}

/**
 * The size of each transaction and its fee at this rate.
 * @param inputsFor coins that pay for one, where the money is not divided: see {@link MintWallet.inputsFor}
 * @param inBase64 whether tokens may come out as the base64 text of their files, which is longer
 */
export function priced(
  batches: readonly (readonly ItemRow[])[],
  rate: FeeRate,
  inputsFor: MintWallet['inputsFor'],
  inBase64 = false,
): Batch[] {
  return batches.map((rows) => {
    const sizeOf = mintSizes(tokenSizes(rows, SAMPLE_COLLECTION, inBase64));
    const inputs = inputsFor(satoshis(rows.length), (count) => feeWithRoom(sizeOf(count), rate));
    const size = sizeOf(inputs);
    const planned: PlannedTransaction = {
      kind: rows[0]?.sub_type === 'collection' ? 'collection' : 'items',
      tokens: rows.length,
      contentBytes: rows.reduce((sum, { bytes }) => sum + Number(bytes), 0),
      size,
      fee: feeFor(size, rate),
      maxFee: feeWithRoom(size, rate) + LEAST_CHANGE,
    };
    return { planned, rows };
  });
}

/** Satoshis of the coin that pays for a mint of so many tokens. */
export function coinFor(tokens: number, maxFee: number): number {
  return tokens + maxFee + SPARE;
}

/** Bytes of the signed transaction that makes so many coins, with change. */
export function splitSize(inputs: number, coins: number): number {
  const outputs = coins + 1;
  return 8 + varintSize(inputs) + varintSize(outputs) + inputs * P2PKH_INPUT_BYTES + outputs * P2PKH_OUTPUT_BYTES;
}

/** Whether a miner asks more than a plan has. */
export function isDearer(asked: FeeRate, planned: FeeRate): boolean {
  return asked.satoshis * planned.bytes > planned.satoshis * asked.bytes;
}

/** Why a new plan is needed after a miner raised its price. */
export function quoteChanged(asked: FeeRate, planned: FeeRate): Failure {
  const perThousand = (rate: FeeRate): number => (rate.satoshis * 1_000) / rate.bytes;
  return new PlanchetError('run.quote-changed', { now: perThousand(asked), planned: perThousand(planned) }).toFailure();
}

export interface PlanInput extends Pick<MintWallet, 'inputsFor' | 'worth' | 'setAside'> {
  network: Network;
  projectUid: string;
  destination: string;
  batches: readonly Batch[];
  /** The money is divided before the first mint. */
  splits: boolean;
  /** Planchet builds the transactions itself. */
  direct: boolean;
  circumstances: Circumstances;
  policy: RunPlan['policy'];
  maxFeeSatoshis: number;
  repeats: RunPlan['repeats'];
  /** Further problems. */
  problems?: readonly Failure[];
}

/**
 * Totals of transactions.
 * @param splits the money is divided before the first mint
 * @param inputs of the split
 */
export function sumsOf(
  planned: readonly PlannedTransaction[],
  { splits, inputs, rate }: { splits: boolean; inputs: number; rate: FeeRate },
): Pick<RunPlan, 'split' | 'tokens' | 'fee' | 'total' | 'transactionCount'> {
  const sum = (of: (one: PlannedTransaction) => number): number => planned.reduce((all, one) => all + of(one), 0);
  const size = splitSize(Math.max(USUAL_SPLIT_INPUTS, inputs), planned.length);
  const split = splits ? { outputs: planned.length, size, fee: feeFor(size, rate) } : null;
  const tokens = sum((one) => one.tokens);
  const fee = sum((one) => one.fee) + (split?.fee ?? 0);
  return { split, tokens, fee, total: fee + tokens, transactionCount: planned.length + Number(splits) };
}

/** Adds everything up. The digest covers every file, text and limit, so that an approval holds for exactly this plan. */
export function planOf(input: PlanInput): RunPlan {
  const { batches, circumstances, network, projectUid, destination } = input;
  const { rate, quote, quotaAvailable } = circumstances;
  const planned = batches.map((batch) => batch.planned);
  const sum = (of: (one: PlannedTransaction) => number): number => planned.reduce((all, one) => all + of(one), 0);
  const coins = satoshis(sum((one) => coinFor(one.tokens, one.maxFee)));
  const splitFee = (inputs: number) => feeFor(splitSize(inputs, planned.length), rate);
  const inputs = input.splits ? input.inputsFor(coins, splitFee) : 0;
  const mintSize = planned[0]?.size ?? 0;
  const mintFee = (count: number) => feeWithRoom(mintSize + count * P2PKH_INPUT_BYTES, rate);
  const worth = (from?: CoinsFrom): number => input.worth(input.splits ? splitFee : mintFee, from);
  const spendable = worth(input.splits ? 'all' : coinsFor(input.direct));
  const sums = sumsOf(planned, { splits: input.splits, inputs, rate });
  const { split, tokens } = sums;
  const needed = coins + (split?.fee ?? 0);
  const problems = [...circumstances.problems, ...(input.problems ?? [])];
  const isReady = !problems.some(({ code }) => code === 'wallet-missing' || code === 'vault-locked');
  if (isReady && spendable < needed) problems.push(tooLittleMoney(needed, spendable, worth(), input.setAside()));
  const dearest = Math.max(0, ...planned.map((one) => one.maxFee));
  if (dearest > input.maxFeeSatoshis) problems.push(feeTooHigh(dearest, input.maxFeeSatoshis));
  return {
    projectUid,
    destination,
    network,
    digest: digestOf(input),
    contentDigest: contentDigestOf(batches),
    direct: input.direct,
    ...sums,
    contentBytes: sum((one) => one.contentBytes),
    transactions: planned.slice(0, MAX_PLAN_TRANSACTIONS),
    rate: { satoshis: rate.satoshis, bytes: rate.bytes },
    policy: input.policy,
    size: sum((one) => one.size) + (split?.size ?? 0),
    quote,
    maxTotal: sum((one) => one.maxFee) + (split?.fee ?? 0) + tokens,
    needed,
    spendable,
    quotaAvailable,
    royalties: royaltiesIn(batches.flatMap(({ rows }) => rows)).slice(0, MAX_ROYALTIES),
    repeats: input.repeats,
    problems,
  };
}

/** What is minted and how it is divided: equal on every network, whatever ids the drafts have there. */
function contentDigestOf(batches: readonly Batch[]): string {
  const hash = createHash('sha256');
  for (const { planned, rows } of batches) {
    hash.update(JSON.stringify([planned.kind, rows.length]));
    for (const [index, { metadata }] of tokenSizes(rows, SAMPLE_COLLECTION).entries()) {
      const row = rows[index] as ItemRow;
      hash.update(JSON.stringify([row.sub_type, row.sha256, row.content_type, metadata]));
    }
  }
  return hash.digest('hex');
}

function digestOf({ network, projectUid, destination, batches, splits, direct }: PlanInput): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([network, projectUid, destination, splits, direct]));
  for (const { planned, rows } of batches) {
    hash.update(JSON.stringify([planned.kind, planned.size, planned.fee, planned.maxFee]));
    for (const row of rows) {
      hash.update(JSON.stringify([row.id, row.sub_type, row.sha256, row.content_type, row.metadata]));
    }
  }
  return hash.digest('hex');
}
