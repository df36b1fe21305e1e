import { type Satoshis, satoshis } from './amount.ts';
import { feeFor, highestFee, P2PKH_INPUT_BYTES, P2PKH_OUTPUT_BYTES, type Rate } from './fees.ts';
import type { Tx } from './transaction.ts';

/**
 * The numbers of fees that were chosen, not given by the network, each with its reason. A number that differs from another on purpose has
 * its own name here.
 */

/** Change of less, in satoshis, goes to the miner: bsv.js and the token services leave it out (wire reference 1.5). */
export const LEAST_CHANGE = 546;

/**
 * The wallet makes no change below this amount, in satoshis: spending it costs about as much (148 bytes at 500 to
 * 1,000 satoshis per 1,000 bytes), and change of one satoshi would pass for a token.
 */
export const MIN_CHANGE = 150;

/** The fee of a transaction built by a service may be this many times the quote: services estimate sizes and rates in their own ways. */
export const SERVICE_FEE_TOLERANCE = 2;

/** The fee of a transaction built here may be this many times the price: signatures are a little shorter than was reckoned. */
export const OWN_FEE_TOLERANCE = 1.1;

/** Limits of the fee of a transaction, named like their settings: satoshis, and satoshis per 1,000 bytes. */
export interface FeeCaps {
  readonly maxFeeSatoshis: number;
  readonly maxFeeRate: number;
}

/** The minimum value of change, in satoshis, for which its output and the input that spends it are worth their fees. */
export function leastChangeAt(rate: Rate): number {
  return Math.max(MIN_CHANGE, feeFor(P2PKH_OUTPUT_BYTES + P2PKH_INPUT_BYTES, rate));
}

/** The fee for an input that spends a P2PKH output at this rate, in satoshis. */
export function inputFee(rate: Rate): Satoshis {
  return feeFor(P2PKH_INPUT_BYTES, rate);
}

/** Whether the data writer keeps an amount as change: it exceeds the fee of the input that spends it, and cannot be taken for a token. */
export function isWorthSpending(change: number, rate: Rate): boolean {
  return change > Math.max(inputFee(rate), 1);
}

/** The amount to reserve for a fee, in satoshis: slightly more than the quote, since services round sizes up differently. */
export function feeWithRoom(bytes: number, rate: Rate): Satoshis {
  return satoshis(Math.ceil(feeFor(bytes, rate) * 1.02) + 10);
}

/**
 * The caps that a fee exceeds, each with its limit in satoshis; empty if none.
 * @param size the transaction, or the bytes it will have once signed
 */
export function exceededCaps(
  fee: number,
  size: Tx | number,
  { maxFeeSatoshis, maxFeeRate }: FeeCaps,
): { setting: keyof FeeCaps; limit: number }[] {
  const byRate =
    typeof size === 'number' ? feeFor(size, { satoshis: maxFeeRate, bytes: 1_000 }) : highestFee(size, maxFeeRate);
  return [
    ...(fee > maxFeeSatoshis ? [{ setting: 'maxFeeSatoshis' as const, limit: maxFeeSatoshis }] : []),
    ...(fee > byRate ? [{ setting: 'maxFeeRate' as const, limit: byRate }] : []),
  ];
}
