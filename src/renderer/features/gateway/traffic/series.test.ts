import { describe, expect, it } from 'vitest';
import { isAlone, newest, peak } from './series.ts';

describe('the figures of a chart', () => {
  it('need a dot if they have no neighbour', () => {
    const values = [null, 2, 1, null, 2];
    expect(values.map((_, index) => isAlone(values, index))).toEqual([false, false, false, false, true]);
    expect(isAlone([0], 0)).toBe(true);
  });

  it('have a newest and a largest one', () => {
    expect(newest([1, 3, null])).toBe(3);
    expect(newest([null])).toBeNull();
    expect(peak([1, null, 5, 2])).toBe(5);
    expect(peak([])).toBe(0);
  });
});
