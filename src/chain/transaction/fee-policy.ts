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
 * Change of less, in satoshis, is not worth having where the wallet itself builds: spending it costs about as much (148 bytes at 500 to
 * 1,000 satoshis per 1,000 bytes), and change of one satoshi would pass for a token.
 */
export const MIN_CHANGE = 150;

/** The fee of a transaction built by a service may be this many times the quote: services estimate sizes and rates in their own ways. */
export const SERVICE_FEE_TOLERANCE = 2;

/** The fee of a transaction built here may be this many times the price: signatures are a little shorter than was reckoned. */
export const OWN_FEE_TOLERANCE = 1.1;

/** What a transaction may pay, by the settings of these names: satoshis, and satoshis per 1,000 bytes. */
export interface FeeCaps {
  readonly maxFeeSatoshis: number;
  readonly maxFeeRate: number;
}

/** What change must be worth, in satoshis, so that its output and the input that spends it are not paid for in vain. */
export function leastChangeAt(rate: Rate): number {
  return Math.max(MIN_CHANGE, feeFor(P2PKH_OUTPUT_BYTES + P2PKH_INPUT_BYTES, rate));
}

/** What an input that spends a P2PKH output costs at this rate, in satoshis. */
export function inputFee(rate: Rate): Satoshis {
  return feeFor(P2PKH_INPUT_BYTES, rate);
}

/** Whether the data writer keeps an amount as change: it pays for the input that spends it, and would not pass for a token. */
export function isWorthSpending(change: number, rate: Rate): boolean {
  return change > Math.max(inputFee(rate), 1);
}

/** What to hold ready for a fee, in satoshis: a little above the quote, because services round sizes up in their own ways. */
export function feeWithRoom(bytes: number, rate: Rate): Satoshis {
  return satoshis(Math.ceil(feeFor(bytes, rate) * 1.02) + 10);
}

/**
 * Which caps a fee exceeds, each with what it allows in satoshis; empty if none.
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
