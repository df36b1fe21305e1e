import { expect, it } from 'vitest';
import { TotalTraffic } from './total-traffic.ts';

const sum = (figures: readonly number[]): number => figures.reduce((all, one) => all + one, 0);

it('the total of the traffic tells what was refused, what failed and what is old, step by step, and how long the others took', () => {
  const total = new TotalTraffic(5_000, 60);
  total.record(1_000_000, 'upstream', 200, 10);
  total.record(1_000_001, 'refused', 401, 0);
  total.record(1_000_002, 'upstream', 500, 20);
  total.record(1_005_000, 'stale', 200, 30);
  const { calls, refused, failed, stale, p50, p95 } = total.read(1_005_001);
  expect([calls, refused, failed, stale].map((figures) => figures.slice(-2))).toEqual([
    [3, 1],
    [1, 0],
    [1, 0],
    [0, 1],
  ]);
  expect(p50.slice(-3)).toEqual([null, expect.closeTo(10, 0), expect.closeTo(30, 0)]);
  expect(p95.at(-2)).toBeCloseTo(20, 0);
  expect(calls).toHaveLength(60);
});

it('the total of the traffic forgets what is older than its steps, and has no time where all were refused', () => {
  const total = new TotalTraffic(5_000, 60);
  total.record(0, 'upstream', 200, 10);
  total.record(299_999, 'refused', 401, 0);
  expect(sum(total.read(299_999).calls)).toBe(2);
  const later = total.read(300_000);
  expect(sum(later.calls)).toBe(1);
  expect(later.p50.every((time) => time === null)).toBe(true);
});
