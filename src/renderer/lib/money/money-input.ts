import { decimal, numbers, separators } from '../format.ts';
import { bsvText, type MoneyForm, SATOSHIS_PER_BSV, shownUnit } from './money.ts';

/** The text of a field for an amount: the number without its unit. */
export function moneyText(satoshis: number, form: MoneyForm, language: string): string {
  const unit = shownUnit(form);
  if (unit === 'satoshi') return decimal(language, 0).format(satoshis);
  if (unit === 'bsv') {
    const { decimal: sign } = separators(language);
    const [whole, rest = ''] = bsvText(satoshis, language).split(sign) as [string, string?];
    const digits = rest.replace(/0+$/, '');
    return digits === '' ? whole : `${whole}${sign}${digits}`;
  }
  const value = (satoshis / SATOSHIS_PER_BSV) * (form.rate?.rate ?? 0);
  return fieldCurrency(language).format(value);
}

const fieldCurrency = numbers({ maximumSignificantDigits: 6, useGrouping: true });

/**
 * Parses an amount in the displayed unit, with the separators of the language. A separator in the wrong place is an error.
 * @returns satoshis, '' for an empty text, NaN if it is not an amount
 */
export function readMoney(text: string, form: MoneyForm, language: string): number | '' {
  const { group, decimal: sign } = separators(language);
  const typed = text.trim();
  if (typed === '') return '';
  const [whole = '', rest = '', ...more] = typed.split(sign);
  const plain = whole.replaceAll(group, '_').replace(/\s/g, '_');
  const isNumber = more.length === 0 && /^(\d*|[1-9]\d{0,2}(_\d{3})+)$/.test(plain) && /^\d*$/.test(rest);
  const digits = plain.replaceAll('_', '');
  if (!isNumber || digits + rest === '') return Number.NaN;
  const unit = shownUnit(form);
  if (unit === 'satoshi') return typed.includes(sign) ? Number.NaN : Number(digits);
  if (unit === 'bsv')
    return rest.length > 8
      ? Number.NaN
      : Number(digits || '0') * SATOSHIS_PER_BSV + Number(rest.padEnd(8, '0').slice(0, 8));
  return Math.round((Number(`${digits || '0'}.${rest || '0'}`) / (form.rate?.rate ?? Number.NaN)) * SATOSHIS_PER_BSV);
}
