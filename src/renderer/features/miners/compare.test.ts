import { describe, expect, it } from 'vitest';
import type { Miner, MinerQuote } from '../../../contract/index.ts';
import { cheapest, moved, perThousand, policyRows, rateOf } from './compare.ts';
import { minerOf, quoteOf } from './test-miner.ts';

const now = 1_000;
const priced = (id: string, satoshis: number, changes: Partial<MinerQuote> = {}): Miner =>
  minerOf({ id, quote: quoteOf({ standard: { satoshis, bytes: 500 }, expiresAt: now + 1, ...changes }) });

describe('the comparison of miners', () => {
  it('converts rates to 1,000 bytes, whatever number of bytes a miner states', () => {
    expect(perThousand({ satoshis: 1, bytes: 4 })).toBe(250);
    expect(rateOf(null, 'standard')).toBeUndefined();
    expect(rateOf(quoteOf({ relay: null }), 'relay')).toBeUndefined();
  });

  it('marks the lowest rate among valid quotes of enabled miners, and none if all are equal', () => {
    const miners = [priced('a', 50), priced('b', 25)];
    expect(cheapest(miners, 'standard', now)).toBe(50);
    expect(cheapest([...miners, { ...priced('c', 1), enabled: false }], 'standard', now)).toBe(50);
    expect(cheapest([...miners, priced('d', 1, { expiresAt: now })], 'standard', now)).toBe(50);
    expect(cheapest([priced('a', 50), priced('b', 50)], 'standard', now)).toBeUndefined();
    expect(cheapest([priced('a', 50), minerOf({ quote: null })], 'standard', now)).toBeUndefined();
  });

  it('lists policies in which miners differ first, and ignores miners that do not state one', () => {
    const miners = [
      priced('a', 1, { policies: { alike: 1, differs: [1, 2].map(String), only: true } }),
      priced('b', 1, { policies: { alike: 1, differs: ['1'] } }),
    ];
    expect(policyRows(miners)).toEqual([
      { name: 'differs', values: { a: ['1', '2'], b: ['1'] }, differs: true },
      { name: 'alike', values: { a: 1, b: 1 }, differs: false },
      { name: 'only', values: { a: true, b: undefined }, differs: false },
    ]);
  });

  it('moves a miner within the list and never beyond its ends', () => {
    expect(moved(['a', 'b', 'c'], 'c', -1)).toEqual(['a', 'c', 'b']);
    expect(moved(['a', 'b', 'c'], 'a', 1)).toEqual(['b', 'a', 'c']);
    expect(moved(['a', 'b'], 'a', -1)).toEqual(['a', 'b']);
    expect(moved(['a', 'b'], 'b', 1)).toEqual(['a', 'b']);
    expect(moved(['a', 'b'], 'x', 1)).toEqual(['a', 'b']);
  });
});
