import { describe, expect, it } from 'vitest';
import { coarse, type Eta, nextEta } from './eta.ts';

const MINUTE = 60_000;

/** The displayed times for estimates that arrive once a second. */
function shown(estimates: readonly number[]): number[] {
  let eta: Eta | undefined;
  return estimates.map((left, second) => {
    eta = nextEta(eta, left, second * 1_000);
    return eta.shown / MINUTE;
  });
}

describe('the displayed remaining time', () => {
  it('is rounded to coarse steps', () => {
    expect([10_000, 50_000, 130_000, 8 * MINUTE, 12 * MINUTE, 47 * MINUTE, 200 * MINUTE].map(coarse)).toEqual(
      [0, 1, 2, 8, 10, 45, 180].map((minutes) => minutes * MINUTE),
    );
  });

  it('never increases while estimates vary around the true value', () => {
    const estimates = Array.from({ length: 300 }, (_, n) => (300 - n) * 1_000 * (n % 2 === 0 ? 1.5 : 0.6));
    const told = shown(estimates);
    expect(told.every((now, n) => n === 0 || now <= (told[n - 1] as number))).toBe(true);
    expect(new Set(told).size).toBeLessThanOrEqual(9);
    expect(told.at(-1)).toBe(0);
  });

  it('does not outlast a short work whose first piece was slow', () => {
    const told = shown([158_000, 413_000, 562_000, 17_000, 9_000, 1_000]);
    expect(told).toEqual([3, 3, 3, 3, 0, 0]);
    // Also where they come more seldom than the time is told.
    const first = nextEta(undefined, 158_000, 0);
    const second = nextEta(first, 9_000, 1_000);
    const passed = nextEta(second, second.endsAt - 2_000, 2_000);
    expect(nextEta(passed, 5_000, 3_000).shown).toBe(0);
    // One estimate alone may be wrong.
    expect(shown([30, 30, 9, 30, 30].map((minutes) => minutes * MINUTE))).toEqual([30, 30, 25, 25, 25]);
  });

  it('increases once if the work turns out to be much slower', () => {
    const told = shown([...Array(20).fill(2 * MINUTE), ...Array(60).fill(10 * MINUTE)]);
    expect(told[19]).toBe(2);
    expect(told.at(-1)).toBeGreaterThanOrEqual(8);
    expect(told.filter((now, n) => n > 0 && now > (told[n - 1] as number)).length).toBeLessThanOrEqual(3);
  });
});
