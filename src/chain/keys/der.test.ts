import { BigNumber, Signature } from '@bsv/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, parseDerSignature } from '../index.ts';

const number = fc
  .tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.integer({ min: 0, max: 31 }))
  // leading zeros make short numbers
  .map(([bytes, zeros]) => bytes.fill(0, 0, zeros))
  .filter((bytes) => bytes.some((byte) => byte !== 0));

const der = (r: Uint8Array, s: Uint8Array): Uint8Array =>
  Uint8Array.from(new Signature(new BigNumber(Array.from(r)), new BigNumber(Array.from(s))).toDER() as number[]);

describe('parseDerSignature', () => {
  it('parses what the SDK writes, for numbers of any length', () => {
    fc.assert(
      fc.property(number, number, (r, s) => {
        expect(parseDerSignature(der(r, s))).toEqual(concatBytes(r, s));
      }),
    );
  });

  it('accepts one encoding only: changed bytes are refused or decode to other numbers', () => {
    const change = fc.record({
      at: fc.nat(80),
      remove: fc.integer({ min: 0, max: 2 }),
      insert: fc.uint8Array({ maxLength: 2 }),
    });
    fc.assert(
      fc.property(number, number, change, (r, s, { at, remove, insert }) => {
        const good = der(r, s);
        const from = Math.min(at, good.length);
        const bad = concatBytes(good.subarray(0, from), insert, good.subarray(from + remove));
        fc.pre(Buffer.compare(bad, good) !== 0);
        const read = parseDerSignature(bad);
        if (read !== undefined) expect(read).not.toEqual(concatBytes(r, s));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['a negative r', '3006020181020101'],
    ['a negative s', '3006020101020181'],
    ['an unnecessary zero before r', '300702020001020101'],
    ['an unnecessary zero before s', '300702010102020001'],
    ['a byte after the end', '300602010102010100'],
    ['a byte after the end that is included in the length', '300702010102010100'],
    ['an empty r', '30050200020101'],
    ['an empty s', '30050201010200'],
    ['a length in the long form', '308106020101020101'],
    ['a length of r in the long form', '30070281010102010101'],
    ['another tag', '3106020101020101'],
    ['another tag of r', '3006030101020101'],
    ['another tag of s', '3006020101030101'],
    ['a length that is too short', '3005020101020101'],
    ['a length that is too long', '3007020101020101'],
    ['a length of r beyond the end', '300602ff01020101'],
    ['the end after r', '3003020101'],
    ['nothing', ''],
    ['a number of 33 bytes', `3026022101${'00'.repeat(32)}020101`],
  ])('refuses %s', (_, hex) => {
    expect(parseDerSignature(fromHex('3006020101020101'))).toBeDefined();
    expect(parseDerSignature(fromHex(hex))).toBeUndefined();
  });
});
