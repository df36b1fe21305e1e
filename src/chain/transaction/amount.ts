import { ChainError } from '../errors.ts';

declare const satoshisBrand: unique symbol;

/** A whole number of satoshis from 0 to 21,000,000 BSV. Created only by {@link satoshis}, so a plain number cannot be used as money. */
export type Satoshis = number & { readonly [satoshisBrand]: true };

/** The maximum supply: 21,000,000 BSV in satoshis. Below 2^53, so plain numbers are exact. */
export const MAX_SATOSHIS = 21_000_000 * 100_000_000;

/**
 * @param n a whole number of satoshis.
 * @throws ChainError `amount-invalid` for a fraction, a negative number, NaN or more than {@link MAX_SATOSHIS}.
 * @example satoshis(546) + satoshis(1)
 */
export function satoshis(n: number): Satoshis {
  if (!Number.isSafeInteger(n) || n < 0 || n > MAX_SATOSHIS) {
    throw new ChainError('amount-invalid', '{value} is not an amount: whole satoshis from 0 to {most} are.', {
      value: n,
      most: MAX_SATOSHIS,
    });
  }
  // -0 would pass the checks and print as "-0"
  return (n + 0) as Satoshis;
}

/** The value of a token output. */
export const ONE_SATOSHI: Satoshis = satoshis(1);

/**
 * The sum of amounts, checked at every addition.
 * @throws ChainError `amount-invalid` if the sum exceeds {@link MAX_SATOSHIS}.
 * @example addSatoshis(satoshis(1), satoshis(2)) // 3
 */
export function addSatoshis(...amounts: readonly Satoshis[]): Satoshis {
  let sum = 0;
  for (const amount of amounts) sum = satoshis(sum + amount);
  return satoshis(sum);
}
