import { describe, expect, it } from 'vitest';
import { usageChart } from './usage.ts';

const HOUR = 3_600_000;
const now = 500_000 * HOUR + 1_234;
const row = (hoursAgo: number, tag: string | null, documents: number, bytes = documents * 10, keyId = 'a') => ({
  keyId,
  hour: (500_000 - hoursAgo) * HOUR,
  tag,
  documents,
  bytes,
});

describe('usageChart', () => {
  it('puts every hour in its place and leaves out what is older than a day', () => {
    const chart = usageChart([row(0, 'x', 3), row(23, 'x', 4), row(24, 'x', 99)], now);
    expect(chart.hours).toHaveLength(24);
    expect(chart.hours.at(-1)).toBe(500_000 * HOUR);
    expect(chart.series[0]?.documents.at(-1)).toBe(3);
    expect(chart.series[0]?.documents[0]).toBe(4);
    expect(chart.series[0]?.documents.reduce((sum, one) => sum + one, 0)).toBe(7);
  });

  it('adds up keys that share a tag, and keeps documents without a tag apart', () => {
    const chart = usageChart([row(1, 'x', 3), row(1, 'x', 5, 50, 'b'), row(1, null, 1)], now);
    expect(chart.series.map(({ tag }) => tag)).toEqual(['x', null]);
    expect(chart.series[0]?.documents[22]).toBe(8);
    expect(chart.series[0]?.bytes[22]).toBe(80);
  });

  it('draws the smallest of many tags as one and loses none of them', () => {
    const rows = Array.from({ length: 9 }, (_, index) => row(2, `t${index}`, index + 1));
    const chart = usageChart(rows, now);
    expect(chart.series.map(({ kind, tag }) => (kind === 'others' ? 'others' : tag))).toEqual([
      't8',
      't7',
      't6',
      't5',
      'others',
    ]);
    expect(chart.series.reduce((sum, one) => sum + (one.documents[21] ?? 0), 0)).toBe(45);
  });
});
