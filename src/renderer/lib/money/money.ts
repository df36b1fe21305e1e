import type { CurrencyRate, MoneyUnit } from '../../../contract/index.ts';
import { decimal, numbers, once, separators } from '../format.ts';

export const SATOSHIS_PER_BSV = 100_000_000;
/** Amounts of a currency below this are shown with more decimals, since fees are small. */
const SMALL = 0.1;

/** How amounts are shown: the chosen unit, and the rate if a currency is used. */
export interface MoneyForm {
  readonly unit: MoneyUnit;
  readonly rate: CurrencyRate | null;
}

/** The displayed unit. Without a rate no currency can be shown. */
export function shownUnit({ unit, rate }: MoneyForm): MoneyUnit {
  return unit === 'currency' && rate === null ? 'satoshi' : unit;
}

/** `1,250,000 sat`. */
export function formatSatoshis(satoshis: number, language = 'en'): string {
  return `${decimal(language, 0).format(satoshis)} sat`;
}

/** The same amount in BSV with all eight decimals, exact: computed on integers, never through a fraction. */
export function formatBsv(satoshis: number, language = 'en'): string {
  return `${bsvText(satoshis, language)} BSV`;
}

/** The digits of an amount in BSV. */
export function bsvText(satoshis: number, language: string): string {
  const size = Math.abs(satoshis);
  const whole = decimal(language, 0).format(Math.trunc(size / SATOSHIS_PER_BSV));
  const rest = String(size % SATOSHIS_PER_BSV).padStart(8, '0');
  return `${satoshis < 0 ? '-' : ''}${whole}${separators(language).decimal}${rest}`;
}

/** `0.01250000`: an amount in BSV as other programs read it. */
export function bsvDecimal(satoshis: number): string {
  return bsvText(satoshis, 'en').replaceAll(',', '');
}

const currencies = once((key) => {
  const [language, code, form] = key.split(' ') as [string, string, 'usual' | 'small' | 'short'];
  const digits = form === 'usual' ? {} : { maximumSignificantDigits: form === 'small' ? 2 : 3 };
  const notation = form === 'short' ? ({ notation: 'compact' } as const) : {};
  return new Intl.NumberFormat(language, { style: 'currency', currency: code, ...digits, ...notation });
});

/**
 * An amount in a person's currency, rounded for reading.
 * @param rate units of the currency for one bitcoin
 * @example formatCurrency(100_000, { code: 'EUR', rate: 50 }, 'en') // '€0.05'
 */
export function formatCurrency(
  satoshis: number,
  { code, rate }: { code: string; rate: number },
  language: string,
  form: 'usual' | 'short' = 'usual',
): string {
  const value = (satoshis / SATOSHIS_PER_BSV) * rate;
  const isSmall = form === 'usual' && value !== 0 && Math.abs(value) < SMALL;
  return currencies(`${language} ${code} ${isSmall ? 'small' : form}`).format(value);
}

/** An amount in the displayed unit. */
export function formatMoney(satoshis: number, form: MoneyForm, language: string): string {
  const unit = shownUnit(form);
  if (unit === 'bsv') return formatBsv(satoshis, language);
  return unit === 'currency' && form.rate !== null
    ? formatCurrency(satoshis, form.rate, language)
    : formatSatoshis(satoshis, language);
}

/** The amount and its unit separately, for a large figure. The sign of a currency stays where the language puts it. */
export function moneyParts(satoshis: number, form: MoneyForm, language: string): { figure: string; unit: string } {
  const text = formatMoney(satoshis, form, language);
  if (shownUnit(form) === 'currency') return { figure: text, unit: '' };
  const at = text.lastIndexOf(' ');
  return { figure: text.slice(0, at), unit: text.slice(at + 1) };
}

/** The satoshis after an amount that is signed, if it is shown in another unit: `(1,250 sat)`; else empty. */
export function satoshisBeside(satoshis: number, form: MoneyForm, language: string): string {
  return shownUnit(form) === 'satoshi' ? '' : `(${formatSatoshis(satoshis, language)})`;
}

/** The same amount followed by the satoshis, for amounts that are signed. */
export function formatExactMoney(satoshis: number, form: MoneyForm, language: string): string {
  return `${formatMoney(satoshis, form, language)} ${satoshisBeside(satoshis, form, language)}`.trimEnd();
}

/** The amount in the other units. */
export function otherUnits(satoshis: number, form: MoneyForm, language: string): string {
  const { rate } = form;
  const unit = shownUnit(form);
  return [
    ...(unit === 'satoshi' ? [] : [formatSatoshis(satoshis, language)]),
    ...(unit === 'bsv' ? [] : [formatBsv(satoshis, language)]),
    ...(unit === 'currency' || rate === null ? [] : [`≈ ${formatCurrency(satoshis, rate, language)}`]),
  ].join(' · ');
}

const compact = numbers({ notation: 'compact', maximumSignificantDigits: 3 });

/** `900K`, `1.5 BSV`, `$0.4`: an amount in few characters, for small pictures. */
export function formatShortMoney(satoshis: number, form: MoneyForm, language = 'en'): string {
  if (shownUnit(form) === 'currency' && form.rate !== null)
    return formatCurrency(satoshis, form.rate, language, 'short');
  if (satoshis < SATOSHIS_PER_BSV) return compact(language).format(satoshis);
  return `${compact(language).format(satoshis / SATOSHIS_PER_BSV)} BSV`;
}
