import { expect, it } from 'vitest';
import { CALL_BUCKETS, CallHistogram } from './call-histogram.ts';

it('a histogram counts a call in the first bucket whose bound it does not exceed', () => {
  const histogram = new CallHistogram();
  for (const milliseconds of [0, 0.1, 0.11, 1, 9_999, 60_000]) histogram.record(milliseconds);
  const { counts, sum } = histogram.read();
  expect(counts).toHaveLength(CALL_BUCKETS.length + 1);
  const of = (bound: number): unknown => counts[CALL_BUCKETS.indexOf(bound)];
  expect([of(0.0001), of(0.00025), of(0.001), of(10), counts.at(-1)]).toEqual([2, 1, 1, 1, 1]);
  expect(sum).toBeCloseTo(70.00021, 5);
});
