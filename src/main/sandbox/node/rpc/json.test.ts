import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { satoshis } from '../../../../chain/index.ts';
import { amount, jsonPieces, type RpcValue, real, shortAmount, writeJson } from '../../../node-format/json.ts';

describe('amounts in the node’s JSON', () => {
  it('are written with eight decimals, or with at least two', () => {
    expect([0, 1, 50_000_000, 100_000_000, 2_100_000_000_000_000].map((value) => writeJson(amount(value)))).toEqual([
      '0.00000000',
      '0.00000001',
      '0.50000000',
      '1.00000000',
      '21000000.00000000',
    ]);
    const short = [0, 1, 50_000_000, 123_000_000, 5_000_000_000].map((value) =>
      writeJson(shortAmount(satoshis(value))),
    );
    expect(short).toEqual(['0.00', '0.00000001', '0.50', '1.23', '50.00']);
    expect(writeJson(amount(-150))).toBe('-0.00000150');
  });

  it('read back as the same number of satoshis', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_100_000_000_000_000 }), (value) => {
        expect(Math.round(Number(writeJson(amount(value))) * 1e8)).toBe(value);
        expect(Math.round(Number(writeJson(shortAmount(satoshis(value)))) * 1e8)).toBe(value);
      }),
    );
  });
});

describe('fractions in the node’s JSON', () => {
  it('have sixteen significant digits, and an exponent in C format', () => {
    const written = [0, 1, 0.1 + 0.2, 2 / 3, 2 / 300_000, 4.656542373906925e-10, 0.0001, 1e16, 123456.75, 120].map(
      (value) => writeJson(real(value)),
    );
    expect(written).toEqual([
      '0',
      '1',
      '0.3',
      '0.6666666666666666',
      '6.666666666666667e-06',
      '4.656542373906925e-10',
      '0.0001',
      '1e+16',
      '123456.75',
      '120',
    ]);
  });

  it('read back as nearly the same number', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e21, max: 1e21, noNaN: true }), (value) => {
        const read = Number(writeJson(real(value)));
        expect(Math.abs(read - value)).toBeLessThanOrEqual(Math.abs(value) * 1e-15);
      }),
    );
  });
});

describe('writeJson', () => {
  it('writes any JSON like JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.parse(writeJson(value as RpcValue))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('writes long texts and lists in short chunks', () => {
    const unit = fc.constantFrom('a', '"', '\n', 'é', '😀', '\ud83d', '\ude00');
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 9 }), fc.nat(9), (units, shift) => {
        const text = 'x'.repeat(shift) + units.join('').repeat(10_000);
        const value = { text, list: Array(3_000).fill({ a: [1, 'b'], c: {} }), end: [] };
        const pieces = [...jsonPieces(value)];
        expect(pieces.join('') === JSON.stringify(value)).toBe(true);
        expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(200_000);
      }),
      { numRuns: 20 },
    );
  });

  it('preserves key order and omits undefined values', () => {
    expect(writeJson({ b: 1, a: undefined, c: [null, amount(1)] })).toBe('{"b":1,"c":[null,0.00000001]}');
  });
});
