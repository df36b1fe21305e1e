import { describe, expect, it } from 'vitest';
import { LatencyHistogram } from './latency-histogram.ts';

describe('a latency histogram', () => {
  it.each([0.001, 0.031, 0.032, 0.1, 1, 12.5, 333, 60_000])(
    'measures %d ms with an error of at most one in thirty',
    (milliseconds) => {
      const histogram = new LatencyHistogram();
      histogram.record(milliseconds);
      for (const part of [0, 0.5, 1]) {
        expect(Math.abs(histogram.quantile(part) - milliseconds)).toBeLessThanOrEqual(milliseconds / 30);
      }
    },
  );

  it('distinguishes the median from the slowest calls', () => {
    const histogram = new LatencyHistogram();
    for (let ms = 1; ms <= 1_000; ms++) histogram.record(ms);
    expect(histogram.quantile(0.5)).toBeGreaterThan(480);
    expect(histogram.quantile(0.5)).toBeLessThan(520);
    expect(histogram.quantile(0.99)).toBeGreaterThan(960);
    expect(histogram.quantile(1)).toBeLessThan(1_040);
  });

  it('accepts any duration, and can be reset', () => {
    const histogram = new LatencyHistogram();
    for (const ms of [0, -1, 1e12, Number.MAX_VALUE]) histogram.record(ms);
    expect(histogram.count).toBe(4);
    expect(histogram.quantile(1)).toBeGreaterThan(1_000_000);
    histogram.reset();
    expect([histogram.count, histogram.quantile(0.5)]).toEqual([0, 0]);
  });
});
