import { describe, expect, it } from 'vitest';
import { p2pkhScript, satoshis, type Tx } from '../index.ts';
import {
  exceededCaps,
  feeWithRoom,
  inputFee,
  isWorthSpending,
  LEAST_CHANGE,
  leastChangeAt,
  MIN_CHANGE,
  OWN_FEE_TOLERANCE,
  SERVICE_FEE_TOLERANCE,
} from './fee-policy.ts';

const rate = (amount: number) => ({ satoshis: amount, bytes: 1_000 });

describe('the fee policy', () => {
  it('requires change to exceed the cost of creating and spending it, and the minimum', () => {
    expect([MIN_CHANGE, LEAST_CHANGE]).toEqual([150, 546]);
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

  it('reserves two per cent and ten satoshis more than the fee', () => {
    expect(feeWithRoom(1_000, rate(500))).toBe(520);
  });

  it('names each cap that a fee exceeds, with its limit', () => {
    const caps = { maxFeeSatoshis: 1_000, maxFeeRate: 500 };
    expect(exceededCaps(500, 1_000, caps)).toEqual([]);
    expect(exceededCaps(1_000, 2_000, caps)).toEqual([]);
    expect(exceededCaps(501, 1_000, caps)).toEqual([{ setting: 'maxFeeRate', limit: 500 }]);
    expect(exceededCaps(1_001, 4_000, caps)).toEqual([{ setting: 'maxFeeSatoshis', limit: 1_000 }]);
    expect(exceededCaps(1_001, 1_000, caps).map(({ setting }) => setting)).toEqual(['maxFeeSatoshis', 'maxFeeRate']);
  });

  it('compares the fee of a transaction with its size once signed', () => {
    const unsigned: Tx = {
      version: 1,
      inputs: [{ txid: 'a'.repeat(64), vout: 0, script: new Uint8Array(), sequence: 0xffffffff }],
      outputs: [{ satoshis: satoshis(1), script: p2pkhScript(new Uint8Array(20)) }],
      lockTime: 0,
    };
    const caps = { maxFeeSatoshis: 1_000_000, maxFeeRate: 1_000 };
    expect(exceededCaps(192, unsigned, caps)).toEqual([]);
    expect(exceededCaps(193, unsigned, caps)).toEqual([{ setting: 'maxFeeRate', limit: 192 }]);
    expect(exceededCaps(1_000_000, 1_000_000, caps)).toEqual([]);
    expect(exceededCaps(999_999, 999_998, caps)).toEqual([{ setting: 'maxFeeRate', limit: 999_998 }]);
  });

  it('allows a service twice the quote, and the wallet ten per cent more than the price', () => {
    expect([SERVICE_FEE_TOLERANCE, OWN_FEE_TOLERANCE]).toEqual([2, 1.1]);
  });
});
