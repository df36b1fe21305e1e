import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatDate, formatHour } from '../../lib/format.ts';
import { renderPart } from '../../test-support/render.tsx';
import { MinerChart, type MinerChartProps } from './miner-chart.tsx';
import { minerOf } from './test-miner.ts';

const HOUR_MS = 3_600_000;
/** Midnight in the local time zone. */
const day = (n: number) => new Date(2026, 0, n).getTime();
const miners = [minerOf({ id: 'a', name: 'First' }), minerOf({ id: 'b', name: 'Second' })];

// There is no layout in tests: the panel is 604 pixels wide, a letter of an axis 6.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    return this.tagName === 'SPAN' ? new DOMRect(0, 0, 6 * this.textContent.length, 12) : new DOMRect(0, 0, 604, 180);
  });
});
afterEach(() => vi.restoreAllMocks());

/** Renders a chart. @param values by time, a figure for each miner */
async function draw(
  values: readonly (readonly [at: number, ...values: (number | null)[]])[],
  more: Partial<MinerChartProps> = {},
) {
  const label = more.label ?? 'the chart';
  const props: MinerChartProps = {
    ...{
      title: 'Rates',
      hint: 'The last days',
      hintSince: (time: string) => `Since ${time}`,
      label,
      miners,
      words: ['', ''],
      show: (value) => `${value} sat`,
    },
    ...{ since: day(1), now: day(11) },
    points: values.map(([at, ...figures]) => ({ at, values: figures })),
    ...more,
  };
  renderPart(<MinerChart {...props} />);
  const chart = await screen.findByRole('img', { name: label });
  await expect.poll(() => chart.querySelectorAll('path.recharts-line-curve')).toHaveLength(miners.length);
  return chart;
}

/** The points of a miner's line, as shares of the chart's width and height from its lower left corner. */
function line(chart: HTMLElement, n: number): [number, number][] {
  const axis = chart.querySelector('.recharts-xAxis .recharts-cartesian-axis-line');
  const [left = 0, right = 0, bottom = 0] = ['x1', 'x2', 'y1'].map((name) => Number(axis?.getAttribute(name)));
  const curve = chart.querySelectorAll('path.recharts-line-curve')[n];
  const height = Number(curve?.getAttribute('height'));
  return [...(curve?.getAttribute('d') ?? '').matchAll(/([\d.]+),([\d.]+)/g)].map(([, x, y]) => [
    round((Number(x) - left) / (right - left)),
    round((bottom - Number(y)) / height),
  ]);
}

const round = (share: number) => Math.round(share * 1_000) / 1_000;

const ticks = (chart: HTMLElement, axis: 'xAxis' | 'yAxis') =>
  [...chart.querySelectorAll(`.recharts-${axis}-tick-labels .recharts-cartesian-axis-tick-value`)].map((text) =>
    [...text.querySelectorAll('tspan')].map((part) => part.textContent).join(' '),
  );

describe('the chart of miners', () => {
  it('states its time span: the complete one, or since its first point', async () => {
    await draw(
      [
        [day(1), 1, 2],
        [day(11), 1, 2],
      ],
      { label: 'whole' },
    );
    expect(screen.getByText('The last days')).toBeDefined();
    await draw(
      [
        [day(10), 1, 2],
        [day(11), 1, 2],
      ],
      { label: 'short' },
    );
    expect(screen.getByText(/^Since /)).toBeDefined();
  });

  it('starts at zero and draws every figure to scale, from the first point to now', async () => {
    const chart = await draw([
      [day(1), 15, 30],
      [day(6), 60, 30],
      [day(11), 45, 30],
    ]);
    expect(ticks(chart, 'yAxis')).toEqual(['0 sat', '20 sat', '40 sat', '60 sat']);
    expect(line(chart, 0)).toEqual([
      [0, 0.25],
      [0.5, 1],
      [1, 0.75],
    ]);
    expect(line(chart, 1).map(([, height]) => height)).toEqual([0.5, 0.5, 0.5]);
  });

  it('labels days at midnight if it shows days', async () => {
    const chart = await draw([
      [day(1), 1, 2],
      [day(11), 1, 2],
    ]);
    expect(ticks(chart, 'xAxis')).toEqual([1, 3, 5, 7, 9, 11].map((n) => formatDate(day(n), 'en')));
  });

  it('labels times at equal distances if it shows hours', async () => {
    const now = day(2);
    const hours = [4, 0].map((ago) => [now - ago * HOUR_MS, 1, 2] as const);
    const chart = await draw(hours, { now });
    expect(ticks(chart, 'xAxis')).toEqual([4, 3, 2, 1, 0].map((hours) => formatHour(now - hours * HOUR_MS, 'en')));
  });

  it('spans an hour at least, and draws nothing before its left edge', async () => {
    const now = day(2);
    const minutes = [5, 0].map((ago) => [now - ago * 60_000, 1, 2] as const);
    const young = await draw(minutes, { now });
    expect(ticks(young, 'xAxis')[0]).toBe(formatHour(now - HOUR_MS, 'en'));
    const old = await draw(
      [
        [day(1), 60, 60],
        [day(11), 60, 60],
      ],
      { since: day(6), label: 'the older chart' },
    );
    expect(line(old, 0)).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });

  it('connects figures across a gap, and starts with the first', async () => {
    const chart = await draw([
      [day(1), 30, null],
      [day(6), null, 60],
      [day(11), 60, 30],
    ]);
    expect(line(chart, 0)).toEqual([
      [0, 0.5],
      [1, 1],
    ]);
    expect(line(chart, 1)).toEqual([
      [0.5, 1],
      [1, 0.5],
    ]);
  });

  it('draws a stepped figure until the next one', async () => {
    const chart = await draw(
      [
        [day(1), 30, 60],
        [day(6), 60, 60],
        [day(11), 60, 60],
      ],
      { isStepped: true },
    );
    expect(line(chart, 0).slice(0, 3)).toEqual([
      [0, 0.5],
      [0.5, 0.5],
      [0.5, 1],
    ]);
    expect(chart.querySelectorAll('circle')).toHaveLength(0);
  });

  it('draws dots for a short list of points only', async () => {
    const hours = (count: number) => Array.from({ length: count }, (_, n) => [day(1) + n * HOUR_MS, 1, 2] as const);
    expect((await draw(hours(48))).querySelectorAll('circle')).toHaveLength(96);
    expect((await draw(hours(49), { label: 'the longer chart' })).querySelectorAll('circle')).toHaveLength(0);
  });
});
