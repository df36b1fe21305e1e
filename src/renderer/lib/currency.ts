const SATOSHIS_PER_COIN = 100_000_000;
/** Of a currency's unit: amounts below this are shown with more decimals, since fees are small. */
const SMALL = 0.1;

/**
 * An amount in a person's currency, rounded for reading.
 * @param rate units of the currency for one bitcoin
 * @example formatCurrency(100_000, { code: 'EUR', rate: 50 }, 'en') // '€0.05'
 */
export function formatCurrency(
  satoshis: number,
  { code, rate }: { code: string; rate: number },
  language: string,
): string {
  const value = (satoshis / SATOSHIS_PER_COIN) * rate;
  const digits = value !== 0 && Math.abs(value) < SMALL ? { maximumSignificantDigits: 2 } : {};
  return new Intl.NumberFormat(language, { style: 'currency', currency: code, ...digits }).format(value);
}
