import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  bsvDecimal,
  formatBsv,
  formatCurrency,
  formatExactMoney,
  formatMoney,
  formatSatoshis,
  formatShortMoney,
  type MoneyForm,
  moneyParts,
  otherUnits,
} from './money.ts';
import { moneyText, readMoney } from './money-input.ts';

const rate = { code: 'EUR', rate: 50, source: 'own', service: null, at: null } as const;
const satoshi: MoneyForm = { unit: 'satoshi', rate };
const bsv: MoneyForm = { unit: 'bsv', rate };
const euro: MoneyForm = { unit: 'currency', rate };

describe('a displayed amount', () => {
  it('has grouped digits and a unit in satoshis', () => {
    expect(formatSatoshis(1_250_000)).toBe('1,250,000 sat');
    expect(formatSatoshis(0)).toBe('0 sat');
    expect(formatSatoshis(1_250_000, 'de')).toBe('1.250.000 sat');
  });

  it('is exact in BSV, up to the maximum supply', () => {
    expect(formatBsv(1)).toBe('0.00000001 BSV');
    expect(formatBsv(1_250_000)).toBe('0.01250000 BSV');
    expect(formatBsv(-1_250_000)).toBe('-0.01250000 BSV');
    expect(formatBsv(2_099_999_999_999_999)).toBe('20,999,999.99999999 BSV');
    expect(formatBsv(150_000_000, 'de')).toBe('1,50000000 BSV');
    expect(bsvDecimal(2_099_999_999_999_999)).toBe('20999999.99999999');
  });

  it('uses the rate of the chosen currency, with more decimals if it is small', () => {
    expect(formatCurrency(100_000_000, rate, 'en')).toBe('€50.00');
    expect(formatCurrency(250_000, { code: 'USD', rate: 40 }, 'en')).toBe('$0.10');
    expect(formatCurrency(1_234, rate, 'en')).toBe('€0.00062');
    expect(formatCurrency(0, rate, 'en')).toBe('€0.00');
    expect(formatCurrency(3_000_000_000, rate, 'de')).toBe('1.500,00\u00a0€');
  });

  it('has one unit, satoshis after it if it is signed, and the other units on hover', () => {
    expect([satoshi, bsv, euro].map((form) => formatMoney(1_250_000, form, 'en'))).toEqual([
      '1,250,000 sat',
      '0.01250000 BSV',
      '€0.63',
    ]);
    expect([satoshi, bsv].map((form) => formatExactMoney(1_250_000, form, 'en'))).toEqual([
      '1,250,000 sat',
      '0.01250000 BSV (1,250,000 sat)',
    ]);
    expect(otherUnits(1_250_000, euro, 'en')).toBe('1,250,000 sat · 0.01250000 BSV');
    expect(otherUnits(1_250_000, satoshi, 'en')).toBe('0.01250000 BSV · ≈ €0.63');
    expect(moneyParts(1_250_000, bsv, 'de')).toEqual({ figure: '0,01250000', unit: 'BSV' });
  });

  it('is in satoshis if a currency was chosen and there is no rate', () => {
    expect(formatMoney(7, { unit: 'currency', rate: null }, 'en')).toBe('7 sat');
  });

  it('is shortened for small pictures', () => {
    expect([2_000, 1_250_000, 150_000_000].map((amount) => formatShortMoney(amount, satoshi))).toEqual([
      '2K',
      '1.25M',
      '1.5 BSV',
    ]);
    expect(formatShortMoney(5_000_000_000, euro)).toBe('€2.5K');
  });
});

describe('a typed amount', () => {
  it('is parsed in the displayed unit, with the separators of the language', () => {
    expect(readMoney('0.0125', bsv, 'en')).toBe(1_250_000);
    expect(readMoney('1.234,5', bsv, 'de')).toBe(123_450_000_000);
    expect(readMoney(',5', bsv, 'de')).toBe(50_000_000);
    expect(readMoney('20,999,999.99999999', bsv, 'en')).toBe(2_099_999_999_999_999);
    expect(readMoney('2,50', euro, 'de')).toBe(5_000_000);
    expect(readMoney('1,250,000', satoshi, 'en')).toBe(1_250_000);
    expect(readMoney('  ', bsv, 'en')).toBe('');
  });

  it.each([
    ['0.123456789', 'en'],
    ['1,5', 'en'],
    ['1.5', 'de'],
    ['1.2.3', 'en'],
    ['-1', 'en'],
    ['1e3', 'en'],
    ['.', 'en'],
  ])('is refused if it is ambiguous: %s (%s)', (text, language) => {
    expect(readMoney(text, bsv, language)).toBeNaN();
  });

  it('round-trips through the text of its field', () => {
    for (const [form, language] of [
      [bsv, 'en'],
      [bsv, 'de'],
      [satoshi, 'de'],
    ] as const)
      for (const satoshis of [0, 1, 150_000_000, 123_456_789, 2_099_999_999_999_999])
        expect(readMoney(moneyText(satoshis, form, language), form, language)).toBe(satoshis);
  });
});

it('amounts are formatted only in money.ts, and by code that shows every unit', () => {
  const root = new URL('../../', import.meta.url);
  const others = globSync('**/*.{ts,tsx}', { cwd: root, exclude: (name) => name.includes('.test.') }).filter(
    (file) =>
      !/^(?:lib[\\/]money|api)[\\/]money\.ts$/.test(file) &&
      /\b(?:formatSatoshis|formatBsv|formatCurrency)\(|\} sat\b/.test(readFileSync(new URL(file, root), 'utf8')),
  );
  expect(others.map((file) => file.replaceAll('\\', '/')).toSorted()).toEqual([
    'components/money/amount-input.tsx',
    'features/networks/going-live/three-units.tsx',
  ]);
});
