import { describe, expect, it } from 'vitest';
import { BackOffs, backOffMs, retryAfterMs } from './back-off.ts';

const range = { firstMs: 500, longestMs: 3_000 };

describe('the wait before another attempt', () => {
  it('doubles after each failure, up to the longest', () => {
    expect([0, 1, 2, 3, 4, 5, 2_000].map((failures) => backOffMs(range, failures))).toEqual([
      500, 500, 1_000, 2_000, 3_000, 3_000, 3_000,
    ]);
  });

  it('is never shorter than the other side asked for, however long that is', () => {
    expect([0, 499, 501, 60_000].map((askedMs) => backOffMs(range, 1, askedMs))).toEqual([500, 500, 501, 60_000]);
  });
});

describe('the wait before another attempt of many', () => {
  it('is up to a quarter longer, by chance, and never shorter than without it', () => {
    expect([0, 0.5, 0.999].map((chance) => backOffMs(range, 2, 0, () => chance))).toEqual([1_000, 1_125, 1_250]);
    expect(backOffMs(range, 1, 60_000, () => 0.5)).toBe(67_500);
  });
});

describe('a time that the other side asks to wait', () => {
  const now = Date.UTC(2026, 10, 22, 12);
  it('is read in seconds and as a date, up to an hour', () => {
    const given = [
      '3',
      ' 0 ',
      ['5', '6'],
      'Sun, 22 Nov 2026 12:00:30 GMT',
      'Sun, 22 Nov 2026 11:00:00 GMT',
      '99999999999',
    ];
    expect(given.map((header) => retryAfterMs(header, now))).toEqual([3_000, 0, 5_000, 30_000, 0, 3_600_000]);
    for (const unreadable of [undefined, '', 'soon', '-x']) expect(retryAfterMs(unreadable, now)).toBeUndefined();
  });
});

describe('those that were turned away', () => {
  it('wait longer each time, each on their own, until they are let in', () => {
    const backOffs = new BackOffs(range, 10);
    expect(backOffs.left('a', 0)).toBe(0);
    backOffs.turnedAway('a', 0);
    expect([backOffs.left('a', 0), backOffs.left('a', 499), backOffs.left('a', 500), backOffs.left('b', 0)]).toEqual([
      500, 1, 0, 0,
    ]);
    backOffs.turnedAway('a', 500);
    expect(backOffs.left('a', 500)).toBe(1_000);
    // where the clock was put back
    expect(backOffs.left('a', -3_600_000)).toBe(0);
    backOffs.letIn('a');
    backOffs.turnedAway('a', 500);
    expect(backOffs.left('a', 500)).toBe(500);
  });

  it('are forgotten one by one, the oldest first, where there are too many', () => {
    const backOffs = new BackOffs(range, 2);
    for (const name of ['a', 'b', 'a', 'c']) backOffs.turnedAway(name, 0);
    expect(['a', 'b', 'c'].map((name) => backOffs.left(name, 0))).toEqual([1_000, 0, 500]);
  });
});
