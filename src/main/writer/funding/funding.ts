import { highestFee, type Tx, type Utxo } from '../../../chain/index.ts';
import { type ErrorCode, PlanchetError, type Settings } from '../../../contract/index.ts';
import { backOffMs } from '../../async/back-off.ts';
import type { SendOutcome } from '../sending/miner-outcome.ts';
import type { DocumentRow, TransactionRow } from '../storage/document.ts';

const FIRST_RETRY_MS = 1_000;
/** The longest wait after a failure, by its class: the network is tried more often than a wallet that waits for money. */
const LONGEST_RETRY_MS: Partial<Record<ErrorCode, number>> = {
  'upstream-unreachable': 30_000,
  'upstream-timeout': 30_000,
  'upstream-error': 60_000,
  'disk-full': 10_000,
};
const OTHER_RETRY_MS = 60_000;

/** A transaction that was given up, and what takes its place. */
export interface Replacement {
  readonly old: TransactionRow;
  /** In the order of their outputs. */
  readonly documents: readonly DocumentRow[];
  /** Unspent outputs of ours that the new transaction must spend; at least one. */
  readonly coins: readonly Utxo[];
}

export interface FundingRound {
  /** Documents that went on or died, so that whoever waits for one can be told. */
  readonly touched: readonly string[];
  /** Why documents wait, where they do; the round after it comes later. */
  readonly degraded?: PlanchetError;
  /** Whether there may be more to do at once. */
  readonly more: boolean;
  /** Documents wait for coins that are on their way: whoever brings them wakes the pipeline. */
  readonly held?: boolean;
  /** Why some documents wait that this machine cannot pay for; its other work goes on. */
  readonly blocked?: PlanchetError;
  /** Documents with so many bytes or more are too dear for the money there is: those that `blocked` speaks of. */
  readonly tooDearFrom?: number;
}

/** Who pays for documents: brings them from accepted to signed, and sends what was signed. */
export interface Funding {
  readonly source: TransactionRow['source'];
  /** The API keys whose documents it can pay for; undefined where it can for all. */
  payable(): Promise<readonly string[] | undefined>;
  /** Takes some documents as far as they go without the miner. @throws PlanchetError for what concerns all of them */
  advance(): Promise<FundingRound>;
  /** Sends signed transactions. @returns one outcome for each, in order */
  send(rows: readonly TransactionRow[]): Promise<SendOutcome[]>;
  /** The miner took them; called before that is journalled, so perhaps more than once. */
  taken(rows: readonly TransactionRow[]): Promise<void>;
  /** The miner refused one for good; called after that is journalled. */
  refused(row: TransactionRow): Promise<void>;
  /**
   * Journals another transaction for the documents of one that was given up. It spends the given outputs of ours, which that one or one
   * it replaced spends too, and what more it takes to pay the fee of now: a chain that holds one of them cannot hold the other.
   * @returns false where somebody else did it meanwhile
   * @throws PlanchetError where it cannot be paid for
   */
  replace(replacement: Replacement): Promise<boolean>;
}

/** Waits longer with every attempt, up to the limit of the failure's class. */
export function backOff(attempts: number, code: ErrorCode): number {
  return backOffMs({ firstMs: FIRST_RETRY_MS, longestMs: LONGEST_RETRY_MS[code] ?? OTHER_RETRY_MS }, attempts + 1);
}

/** @returns why nothing more is written today */
export function capReached(cap: number): PlanchetError {
  return new PlanchetError('writer.daily-cap', { cap });
}

/**
 * @param tx the transaction that pays the fee; without one only the caps in satoshis are held
 * @throws PlanchetError `fee-too-high` where a fee (satoshis) is over the cap of one transaction, of its rate or of the day
 */
export function refuseOverCaps(fee: number, settings: Settings, spentToday: number, tx?: Tx): void {
  const { maxFeeSatoshis, maxFeeRate, writerDailySpend } = settings;
  if (spentToday + fee > writerDailySpend) throw capReached(writerDailySpend);
  const byRate = tx === undefined ? fee : highestFee(tx, maxFeeRate);
  if (fee > byRate) throw new PlanchetError('writer.fee-rate-too-high', { fee, limit: byRate });
  if (fee <= maxFeeSatoshis) return;
  throw new PlanchetError('writer.fee-too-high', { fee, limit: maxFeeSatoshis });
}
