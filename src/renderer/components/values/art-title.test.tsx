import { describe, expect, it } from 'vitest';
import { i18n } from '../../i18n/index.ts';
import { artTitle } from './art-title.ts';

const art = (...names: string[]) => names.map((name) => ({ name }));
const title = (names: string[], count: number) => artTitle(i18n.t, art(...names), count);

describe('the title of a mint', () => {
  it('consists of the names of its tokens, and the number of those left out', () => {
    expect(title(['Copper moon'], 1)).toBe('Copper moon');
    expect(title(['Copper moon', 'Tide'], 2)).toBe('Copper moon and Tide');
    expect(title(['Copper moon', 'Tide', 'Haiku'], 3)).toBe('Copper moon and 2 more');
    expect(title(['Copper moon', 'Tide', 'Haiku'], 10_001)).toBe('Copper moon and 10,000 more');
  });

  it('is the number of tokens if no name is known', () => {
    expect(title([], 12)).toBe('12 tokens');
    expect(title([], 1)).toBe('1 token');
  });
});
