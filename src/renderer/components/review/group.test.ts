import { describe, expect, it } from 'vitest';
import { groupAlike } from './group.ts';

const sizes = (entries: readonly string[]) =>
  groupAlike(entries, (entry) => entry).map((group) => group.entries.length);

describe('outputs that are alike', () => {
  it('are one group, however many there are', () => {
    expect(sizes(Array.from({ length: 12 }, () => 'same'))).toEqual([12]);
  });

  it('are told one by one while they are few', () => {
    expect(sizes(['same', 'same', 'same'])).toEqual([1, 1, 1]);
  });

  it('follow the ones that differ, wherever those stand', () => {
    const entries = ['same', 'same', 'same', 'other', 'same'];
    const [first, second] = groupAlike(entries, (entry) => entry);
    expect(first?.entries).toEqual(['other']);
    expect(second?.entries).toHaveLength(4);
  });

  it('hold together every output that was grouped', () => {
    const entries = ['a', 'b', 'a', 'c', 'a', 'a', 'a'];
    expect(
      groupAlike(entries, (entry) => entry)
        .flatMap((group) => group.entries)
        .toSorted(),
    ).toEqual(entries.toSorted());
  });
});
