import { describe, expect, it } from 'vitest';
import {
  exceededCaps,
  feeWithRoom,
  inputFee,
  isWorthSpending,
  LEAST_CHANGE,
  leastChangeAt,
  MIN_CHANGE,
} from './fee-policy.ts';

const rate = (satoshis: number) => ({ satoshis, bytes: 1_000 });

describe('the fee policy', () => {
  it('asks more of change than it costs to make and to spend it, and never less than the minimum', () => {
    expect(leastChangeAt(rate(1))).toBe(MIN_CHANGE);
    expect(leastChangeAt(rate(500))).toBe(MIN_CHANGE);
    expect(leastChangeAt(rate(1_000))).toBe(182);
    expect(leastChangeAt(rate(3_000))).toBe(LEAST_CHANGE);
  });

  it('keeps the change of a data transaction if it pays for its own input and is no token', () => {
    expect(inputFee(rate(500))).toBe(74);
    expect([74, 75].map((change) => isWorthSpending(change, rate(500)))).toEqual([false, true]);
    expect([0, 1, 2].map((change) => isWorthSpending(change, rate(1)))).toEqual([false, false, true]);
  });

  it('holds two in a hundred and ten satoshis more than the fee', () => {
    expect(feeWithRoom(1_000, rate(500))).toBe(520);
  });

  it('names each cap that a fee exceeds, with what it allows', () => {
    const caps = { maxFeeSatoshis: 1_000, maxFeeRate: 500 };
    expect(exceededCaps(500, 1_000, caps)).toEqual([]);
    expect(exceededCaps(501, 1_000, caps)).toEqual([{ setting: 'maxFeeRate', limit: 500 }]);
    expect(exceededCaps(1_001, 4_000, caps)).toEqual([{ setting: 'maxFeeSatoshis', limit: 1_000 }]);
    expect(exceededCaps(1_001, 1_000, caps).map(({ setting }) => setting)).toEqual(['maxFeeSatoshis', 'maxFeeRate']);
  });
});
