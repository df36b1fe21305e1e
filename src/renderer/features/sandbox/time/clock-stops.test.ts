import { describe, expect, it } from 'vitest';
import { clockStops, LAST_MS, markedSteps, stepAt } from './clock-stops.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;

describe('the slider of the sandbox clock', () => {
  it('ranges from this machine’s time to a year ahead, in increasing stops', () => {
    const stops = clockStops(NOW, NOW - 60_000);
    expect([stops[0], stops.at(-1)]).toEqual([NOW, NOW + 365 * DAY]);
    expect(stops.every((at, index) => index === 0 || at > (stops[index - 1] as number))).toBe(true);
  });

  it('starts after the median time if blocks are ahead of this machine', () => {
    const median = NOW + 10 * DAY;
    const stops = clockStops(NOW, median);
    expect([stops[0], stops.at(-1)]).toEqual([median + 1_000, median + 1_000 + 365 * DAY]);
  });

  it('ends at the largest timestamp of a block', () => {
    const stops = clockStops(NOW, LAST_MS - 2 * DAY);
    expect(stops.at(-1)).toBeLessThanOrEqual(LAST_MS);
    expect(stops.length).toBeGreaterThan(3);
    expect(clockStops(NOW, LAST_MS)).toEqual([LAST_MS]);
  });

  it('rests at the stop closest to the time, and at an end outside its range', () => {
    const stops = clockStops(NOW, NOW - 60_000);
    expect(stepAt(stops, NOW - 30 * DAY)).toBe(0);
    expect(stops[stepAt(stops, NOW + DAY + 5)]).toBe(NOW + DAY);
    expect(stepAt(stops, NOW + 900 * DAY)).toBe(stops.length - 1);
  });

  it('has labels below some of its stops', () => {
    const stops = clockStops(NOW, 0);
    expect(markedSteps.map(({ value }) => ((stops[value] as number) - NOW) / DAY)).toEqual([1 / 24, 1, 7, 365]);
  });
});
