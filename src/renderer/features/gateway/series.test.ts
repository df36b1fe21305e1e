import { describe, expect, it } from 'vitest';
import { linePath, newest, peak } from './series.ts';

describe('figures of a chart', () => {
  it('breaks the line where nothing was measured', () => {
    expect(linePath([null, 2, 1, null, 2], 2, 43)).toBe('M1.2 2.00L1.8 2.00L2.5 22.00M4.2 2.00L4.8 2.00');
    expect(linePath([null, null], 0, 40)).toBe('');
    expect(linePath([0], 0, 40)).toBe('M0.2 39.00L0.8 39.00');
  });

  it('finds the newest and the largest', () => {
    expect(newest([1, 3, null])).toBe(3);
    expect(newest([null])).toBeNull();
    expect(peak([1, null, 5, 2])).toBe(5);
    expect(peak([])).toBe(0);
  });
});
