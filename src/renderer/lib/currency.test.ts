import { describe, expect, it } from 'vitest';
import { formatCurrency } from './currency.ts';

describe('an amount in a currency', () => {
  it('follows the rate of the person, with more decimals for small amounts', () => {
    expect(formatCurrency(100_000_000, { code: 'EUR', rate: 50 }, 'en')).toBe('€50.00');
    expect(formatCurrency(250_000, { code: 'USD', rate: 40 }, 'en')).toBe('$0.10');
    expect(formatCurrency(1_234, { code: 'EUR', rate: 50 }, 'en')).toBe('€0.00062');
    expect(formatCurrency(0, { code: 'EUR', rate: 50 }, 'en')).toBe('€0.00');
  });
});
