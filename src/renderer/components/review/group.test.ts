import { describe, expect, it } from 'vitest';
import { groupAlike } from './group.ts';

const sizes = (entries: readonly string[]) =>
  groupAlike(entries, (entry) => entry).map((group) => group.entries.length);

describe('equal outputs', () => {
  it('are one group, whatever their number', () => {
    expect(sizes(Array.from({ length: 12 }, () => 'same'))).toEqual([12]);
  });

  it('are listed one by one while they are few', () => {
    expect(sizes(['same', 'same', 'same'])).toEqual([1, 1, 1]);
  });

  it('follow the ones that differ, whatever the input order', () => {
    const entries = ['same', 'same', 'same', 'other', 'same'];
    const [first, second] = groupAlike(entries, (entry) => entry);
    expect(first?.entries).toEqual(['other']);
    expect(second?.entries).toHaveLength(4);
  });

  it('stay complete when they are grouped', () => {
    const entries = ['a', 'b', 'a', 'c', 'a', 'a', 'a'];
    expect(
      groupAlike(entries, (entry) => entry)
        .flatMap((group) => group.entries)
        .toSorted(),
    ).toEqual(entries.toSorted());
  });
});
