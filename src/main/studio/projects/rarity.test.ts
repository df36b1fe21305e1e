import { describe, expect, it } from 'vitest';
import { countTraits, percentages, rankItems } from './rarity.ts';

describe('shares and ranks', () => {
  it('percentages sum to exactly 100', () => {
    expect(percentages([1, 1, 1])).toEqual(['33.34', '33.33', '33.33']);
    expect(percentages([1, 2])).toEqual(['33.33', '66.67']);
    expect(percentages([7])).toEqual(['100']);
  });

  it('ranks by information content, equal ones by number', () => {
    const item = (number: number, value: string) => ({ number, traits: [{ name: 'Eyes', value }] });
    const items = [item(3, 'blue'), item(1, 'blue'), item(2, 'red'), item(4, 'blue')];
    expect(rankItems(items).map(({ rank }) => rank)).toEqual([3, 2, 1, 4]);
    expect(countTraits(items)[0]).toMatchObject({
      name: 'Eyes',
      count: 4,
      values: [{ value: 'blue', percent: '75' }, { value: 'red' }],
    });
    expect(rankItems([{ number: 1, traits: [] }])).toEqual([]);
  });
});
