import { describe, expect, it } from 'vitest';
import type { TrackedTransaction } from '../../../contract/index.ts';
import { tracked } from '../../test-support/samples.ts';
import { applyChanges } from './submitted-pages.ts';

const at = (n: number, rest: Partial<TrackedTransaction> = {}): TrackedTransaction => ({
  ...tracked,
  txid: String(n).padStart(64, '0'),
  createdAt: n,
  ...rest,
});
const data = {
  pages: [
    { transactions: [at(4), at(3)], next: '3' },
    { transactions: [at(2)], next: null },
  ],
  pageParams: [undefined, '3'],
};
const shown = (changed: TrackedTransaction[], query = {}): string[][] =>
  applyChanges(data, changed, query).pages.map(({ transactions }) =>
    transactions.map(({ createdAt, state }) => `${createdAt} ${state}`),
  );

describe('pages of submitted transactions after an event', () => {
  it('update each transaction in place and put new ones at the top', () => {
    expect(shown([at(2, { state: 'mined' }), at(5), at(6)])).toEqual([
      ['6 seen', '5 seen', '4 seen', '3 seen'],
      ['2 mined'],
    ]);
  });

  it('remove transactions that no longer match the filter and skip those that never did', () => {
    const failed = { states: ['seen' as const], origins: ['wallet' as const] };
    expect(shown([at(3, { state: 'mined' }), at(5, { state: 'failed' }), at(6, { origin: 'mint' })], failed)).toEqual([
      ['4 seen'],
      ['2 seen'],
    ]);
    expect(shown([at(5, { label: 'Rent' }), at(6)], { search: 'rent' })[0]?.[0]).toBe('5 seen');
  });

  it('leave an older transaction that is on no page to the next fetch', () => {
    expect(shown([at(1)])).toEqual([['4 seen', '3 seen'], ['2 seen']]);
  });
});
