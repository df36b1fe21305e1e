import { createHash } from 'node:crypto';
import {
  type FundingUtxo,
  feeFor,
  formatOutpoint,
  MIN_CHANGE,
  P2PKH_INPUT_BYTES,
  P2PKH_OUTPUT_BYTES,
  type Rate,
} from '../../../chain/index.ts';
import {
  mergedCheck,
  phrase,
  type Review,
  type ReviewCheck,
  reviewCheck,
  tokenJobStates,
  tokenMovesOf,
  type WalletSend,
  type WalletSendRequest,
} from '../../../contract/index.ts';
import type { JobRow } from '../../transaction-jobs/job-row.ts';
import { sumOf } from '../coins/coin-selection.ts';
import { FRAME_BYTES, namedTotal, takesAll } from './send-draft.ts';
import { sendOf } from './send-journal.ts';
import { type PaymentLimits, paymentLimits } from './spending-limits.ts';

/** A payment as it is stored. */
export interface SendRow extends JobRow {
  /** The payment it is a further transaction of. */
  part_of: string | null;
}

/** Coins divided among as many transactions as it takes to spend them. */
interface Batches<T> {
  readonly batches: readonly (readonly T[])[];
  /** Coins that cost more to spend than they are worth. */
  readonly dust: readonly T[];
  /** Coins that are worth their cost and that all these transactions have no room for. */
  readonly later: readonly T[];
}

interface BatchOptions<T> {
  /** Transactions at least, where there are so many coins. */
  readonly wanted?: number;
  /** The first one has to pay more than the others: it takes as many of the most valuable coins as it can. */
  readonly firstFull?: boolean;
  /** Coins that the first one has to spend, whatever they are worth; it is full then too. */
  readonly first?: readonly T[];
  readonly limits?: PaymentLimits | undefined;
}

/**
 * Deals the coins out, the most valuable first, so that every transaction can pay its fee.
 * @param longer bytes by which each input exceeds that of a compressed public key
 */
export function batchesOf<T extends FundingUtxo>(
  coins: readonly T[],
  rate: Rate,
  longer: number,
  { wanted = 1, firstFull = false, first = [], limits = paymentLimits }: BatchOptions<T> = {},
): Batches<T> {
  const inputBytes = P2PKH_INPUT_BYTES + longer;
  const inputFee = feeFor(inputBytes, rate);
  const all = coins
    .filter((coin) => coin.satoshis > inputFee && !first.includes(coin))
    .sort((a, b) => b.satoshis - a.satoshis);
  const most = limits.transactions * limits.inputs - first.length;
  const [worth, later] = [all.slice(0, most), all.slice(most)];
  const room = firstFull || first.length > 0 ? Math.max(0, limits.inputs - first.length) : 0;
  const full = [...first, ...worth.slice(0, room)];
  const others = worth.slice(room);
  const count = Math.min(
    limits.transactions,
    others.length,
    Math.max(wanted, Math.ceil(others.length / limits.inputs)),
  );
  const dealt = Array.from({ length: count }, (_, part) => others.filter((_coin, at) => at % count === part));
  const pays = (batch: readonly T[]): boolean =>
    sumOf(batch) >= feeFor(FRAME_BYTES + P2PKH_OUTPUT_BYTES + batch.length * inputBytes, rate) + MIN_CHANGE;
  const [head = [], ...rest] = full.length > 0 ? [full, ...dealt] : dealt;
  const batches = [head, ...rest.filter(pays)].filter(({ length }) => length > 0);
  const known = new Set([...batches.flat(), ...later]);
  return { batches, dust: coins.filter((coin) => !known.has(coin)), later };
}

/** The parts of a payment beyond its first transaction. */
export interface Beyond {
  /** Its further transactions. */
  readonly rest: readonly WalletSendRequest[];
  /** Coins that stay, as they cost more to spend than they are worth. */
  readonly dust: readonly { readonly satoshis: number }[];
  /** Coins that stay, as a payment has so many transactions at most. */
  readonly later: readonly { readonly satoshis: number }[];
}

/**
 * The coins of a payment of all that is free, and what one transaction does not take; nothing of another payment.
 */
export function dividedAll(
  request: WalletSendRequest,
  free: readonly FundingUtxo[],
  rate: Rate,
  longer: number,
  options: Pick<BatchOptions<FundingUtxo>, 'first' | 'limits'>,
): Beyond & { readonly coins?: string[] } {
  const { to, coins, feeRate, label } = request;
  if (!takesAll(request) || coins !== undefined) return { ...(coins && { coins }), rest: [], dust: [], later: [] };
  const { batches, dust, later } = batchesOf(free, rate, longer, { ...options, firstFull: namedTotal(request) > 0 });
  const [head = [], ...others] = batches.map((batch) => batch.map(formatOutpoint));
  const rest = others.map((batch) => ({
    to: to.slice(-1),
    coins: batch,
    ...(feeRate === undefined ? {} : { feeRate }),
    ...(label === undefined ? {} : { label }),
  }));
  return { coins: head, rest, dust, later };
}

/** The checks of a review about the transactions beyond the first, and about coins that stay. */
export function tellBeyond({ rest, dust, later }: Beyond): ReviewCheck[] {
  const told = (id: 'dust' | 'later', { length: count }: Beyond['dust'], satoshis: number): ReviewCheck[] =>
    count === 0
      ? []
      : [reviewCheck(id, [], phrase(count === 1 ? `review.${id}.one` : `review.${id}`, { count, satoshis }))];
  const count = rest.length + 1;
  const why = rest.some(({ tokens, coins }) => tokens && !coins) ? 'review.transactions.tokens' : 'review.transactions';
  return [
    ...(count === 1 ? [] : [reviewCheck('transactions', [], phrase(why, { count }))]),
    ...told('dust', dust, sumOf(dust)),
    ...told('later', later, sumOf(later)),
  ];
}

/** Whether a payment has further transactions. */
export function hasParts(row: SendRow): boolean {
  const { checks } = sendOf(row).review;
  return row.part_of === null && checks.some(({ id }) => id === 'transactions');
}

/** A payment of several transactions as one: it is as far as the last of them, and fails with the first that does. */
export function mergeSends(rows: readonly [SendRow, ...SendRow[]]): WalletSend {
  const sends = rows.map(sendOf) as [WalletSend, ...WalletSend[]];
  const [head] = sends;
  if (sends.length === 1) return head;
  const order = tokenJobStates.names;
  const slowest = sends.reduce((a, b) => (order.indexOf(b.state) < order.indexOf(a.state) ? b : a));
  const { state, blockHash, blockHeight } = slowest;
  const some = (is: (send: WalletSend) => boolean): boolean => sends.some(is);
  return {
    ...head,
    state,
    blockHash,
    blockHeight,
    active: some(({ active }) => active),
    canApprove: head.canApprove && sends.every(({ review }) => review.ok),
    canRetry: some(({ canRetry }) => canRetry),
    failure: sends.find(({ failure }) => failure !== null)?.failure ?? null,
    review: mergeReviews(sends.map(({ review }) => review) as [Review, ...Review[]]),
    updatedAt: Math.max(...sends.map(({ updatedAt }) => updatedAt)),
    transactions: sends.map(({ request, txid, state: own, review: { fee } }) => ({
      txid,
      state: own,
      fee,
      moves: tokenMovesOf(request),
    })),
  };
}

function mergeReviews(reviews: readonly [Review, ...Review[]]): Review {
  const [head] = reviews;
  const total = (of: (review: Review) => number): number => reviews.reduce((all, review) => all + of(review), 0);
  return {
    ...head,
    digest: createHash('sha256')
      .update(reviews.map(({ digest }) => digest).join(''))
      .digest('hex'),
    ok: reviews.every(({ ok }) => ok),
    // Checks of the first review come first. A further review may have a failed check that the first lacks.
    checks: [...new Set(reviews.flatMap(({ checks }) => checks.map(({ id }) => id)))].map((id) =>
      mergedCheck(reviews.flatMap(({ checks }) => checks.filter((check) => check.id === id)) as [ReviewCheck]),
    ),
    inputs: reviews.flatMap(({ inputs }) => inputs),
    outputs: reviews.flatMap(({ outputs }) => outputs).map((output, index) => ({ ...output, index })),
    fee: total(({ fee }) => fee),
    size: total(({ size }) => size),
  };
}
