import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dataScript,
  feeFor,
  highestFee,
  isRateAbove,
  P2PKH_INPUT_BYTES,
  P2PKH_OUTPUT_BYTES,
  p2pkhScript,
  predictSignedSize,
  requiredFee,
  satoshis,
  signP2pkhInputs,
  type Tx,
  txSize,
  type Utxo,
} from '../index.ts';
import { anyTx, key, keyHash } from '../test-support/fixtures.ts';

const rate = { satoshis: 500, bytes: 1000 };
const script = p2pkhScript(keyHash(key));
const invalid = expect.objectContaining({ code: 'fee-invalid' });

describe('feeFor', () => {
  it('rounds up', () => {
    expect([0, 1, 2, 3, 193, 1000].map((size) => feeFor(size, rate))).toStrictEqual([0, 1, 1, 2, 97, 500]);
    expect(feeFor(8108, { satoshis: 0, bytes: 1 })).toBe(0);
  });

  it('is the least whole amount that pays the rate', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e6), fc.integer({ min: 1, max: 1e6 }), (size, price, per) => {
        const fee = BigInt(feeFor(size % 1e6, { satoshis: price, bytes: per }));
        const exact = BigInt(size % 1e6) * BigInt(price);
        expect(fee * BigInt(per) >= exact && (fee - 1n) * BigInt(per) < exact).toBe(true);
      }),
    );
  });

  it('refuses an invalid rate or size', () => {
    for (const wrong of [
      { satoshis: -1, bytes: 1 },
      { satoshis: 1, bytes: 0 },
      { satoshis: 0.5, bytes: 1 },
      { satoshis: Number.NaN, bytes: 1 },
    ]) {
      expect(() => feeFor(100, wrong)).toThrow(invalid);
    }
    for (const size of [-1, 0.5, Number.NaN]) expect(() => feeFor(size, rate)).toThrow(invalid);
    expect(() => feeFor(2 ** 40, { satoshis: 2 ** 40, bytes: 1 })).toThrow(invalid);
  });
});

describe('the cap on a fee', () => {
  const paying = (...scripts: Uint8Array[]): Tx => ({
    version: 1,
    inputs: [],
    outputs: scripts.map((one) => ({ satoshis: satoshis(0), script: one })),
    lockTime: 0,
  });

  it('rounds the fees for data and other bytes up separately', () => {
    expect(highestFee(paying(script), 1)).toBe(1);
    expect(highestFee(paying(script, dataScript([new Uint8Array(1)])), 1)).toBe(2);
  });

  it('counts an unsigned input as one of 148 bytes', () => {
    expect(P2PKH_INPUT_BYTES).toBe(148);
  });
});

describe('requiredFee', () => {
  const tx: Tx = {
    version: 1,
    inputs: [],
    outputs: [
      { satoshis: satoshis(0), script: dataScript([new Uint8Array(1001)]) },
      { satoshis: satoshis(1), script },
    ],
    lockTime: 0,
  };

  it('charges scripts of data outputs at their own rate, each type rounded down separately', () => {
    const dataBytes = 1006;
    const standardBytes = txSize(tx) - dataBytes;
    expect(standardBytes).toBe(10 + 8 + 3 + P2PKH_OUTPUT_BYTES);
    expect(requiredFee(tx, { standard: rate, data: rate })).toBe(Math.floor(standardBytes / 2) + 503);
    expect(requiredFee(tx, { standard: { satoshis: 0, bytes: 1 }, data: { satoshis: 1, bytes: 1000 } })).toBe(1);
    expect(requiredFee(tx, { standard: { satoshis: 1, bytes: 1 }, data: { satoshis: 0, bytes: 1 } })).toBe(
      standardBytes,
    );
  });

  it('is never more than the fee for the whole size at one rate', () => {
    fc.assert(
      fc.property(anyTx, (any) => requiredFee(any, { standard: rate, data: rate }) <= feeFor(txSize(any), rate)),
    );
  });
});

describe('predictSignedSize', () => {
  it('is never less than the signed size and at most a few bytes per input larger', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.nat(), (count, lockTime) => {
        const spent: Utxo[] = Array.from({ length: count }, (_, vout) => ({
          txid: 'cd'.repeat(32),
          vout,
          satoshis: satoshis(1000),
          lockingScript: script,
        }));
        const inputs = spent.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(0), sequence: 0xffffffff }));
        const unsigned: Tx = { version: 1, inputs, outputs: [{ satoshis: satoshis(1), script }], lockTime };
        const predicted = predictSignedSize(unsigned);
        const signed = signP2pkhInputs(unsigned, spent, key);
        expect(predicted).toBe(10 + count * P2PKH_INPUT_BYTES + P2PKH_OUTPUT_BYTES);
        expect(predicted - txSize(signed)).toBeGreaterThanOrEqual(0);
        expect(predicted - txSize(signed)).toBeLessThanOrEqual(6 * count);
        expect(predictSignedSize(signed)).toBe(txSize(signed));
      }),
      { numRuns: 15 },
    );
  });
});

describe('highestFee', () => {
  const unsigned: Tx = {
    version: 1,
    inputs: [{ txid: 'a'.repeat(64), vout: 0, script: new Uint8Array(), sequence: 0xffffffff }],
    outputs: [
      { satoshis: satoshis(0), script: dataScript([new Uint8Array(1000)]) },
      { satoshis: satoshis(1), script },
    ],
    lockTime: 0,
  };

  it('is never below the fee of a quote at the cap', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.array(fc.nat(2_000), { minLength: 1 }), (cap, sizes) => {
        const outputs = sizes.map((size, i) => ({
          satoshis: satoshis(0),
          script: i % 2 === 0 ? dataScript([new Uint8Array(size)]) : new Uint8Array(size),
        }));
        const atCap = { satoshis: cap, bytes: 1_000 };
        const tx = { ...unsigned, outputs };
        const filled = { ...tx, inputs: tx.inputs.map((input) => ({ ...input, script: new Uint8Array(107) })) };
        expect(highestFee(tx, cap)).toBeGreaterThanOrEqual(requiredFee(filled, { standard: atCap, data: atCap }));
        expect(highestFee(tx, cap)).toBeLessThanOrEqual(feeFor(predictSignedSize(tx), atCap) + 1);
      }),
    );
  });

  it('uses the signed size at one satoshi per byte', () => {
    expect(highestFee(unsigned, 1_000)).toBe(predictSignedSize(unsigned));
  });
});

describe('isRateAbove', () => {
  it('compares exactly, whatever the number of bytes', () => {
    expect(isRateAbove({ satoshis: 1_000, bytes: 1_000 }, 1_000)).toBe(false);
    expect(isRateAbove({ satoshis: 1_001, bytes: 1_000 }, 1_000)).toBe(true);
    expect(isRateAbove({ satoshis: 1, bytes: 1 }, 1_000)).toBe(false);
    expect(isRateAbove({ satoshis: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER - 1 }, 1_000)).toBe(true);
    expect(isRateAbove({ satoshis: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER }, 1_000)).toBe(false);
  });
});
