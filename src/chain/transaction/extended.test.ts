import { Transaction } from '@bsv/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../encoding/bytes.ts';
import { ChainError } from '../errors.ts';
import { satoshis } from './amount.ts';
import { isExtended, parseExtended, serializeExtended } from './extended.ts';
import { serializeTx, type Tx } from './transaction.ts';

const script = fc.uint8Array({ maxLength: 60 });
const output = fc.record({ satoshis: fc.integer({ min: 0, max: 1e9 }).map(satoshis), script });
const input = fc.record({
  txid: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHex),
  // the SDK makes a list as long as this number
  vout: fc.nat(9),
  script,
  sequence: fc.nat(0xffffffff),
});
const extended = fc.array(fc.tuple(input, output), { minLength: 1, maxLength: 5 }).chain((pairs) =>
  fc.record({
    tx: fc.record({
      version: fc.integer({ min: 1, max: 2 }),
      inputs: fc.constant(pairs.map(([one]) => one)),
      outputs: fc.array(output, { minLength: 1, maxLength: 5 }),
      lockTime: fc.nat(0xffffffff),
    }),
    spent: fc.constant(pairs.map(([, one]) => one)),
  }),
);

describe('the extended format', () => {
  it('is the same for the SDK, in both directions', () => {
    fc.assert(
      fc.property(extended, (value) => {
        const bytes = serializeExtended(value);
        expect(isExtended(bytes)).toBe(true);
        expect(parseExtended(bytes)).toEqual(value);
        const theirs = Transaction.fromHexEF(toHex(bytes));
        expect(theirs.toHex()).toBe(toHex(serializeTx(value.tx)));
        expect(
          theirs.inputs.map(({ sourceTransaction, sourceOutputIndex }) =>
            Number(sourceTransaction?.outputs[sourceOutputIndex]?.satoshis),
          ),
        ).toEqual(value.spent.map((one) => one.satoshis));
      }),
    );
  });

  it('differs from that of a plain transaction', () => {
    fc.assert(
      fc.property(extended, ({ tx }) => {
        const bytes = serializeTx(tx);
        expect(isExtended(bytes)).toBe(false);
        expect(() => parseExtended(bytes)).toThrow(ChainError);
      }),
    );
  });

  it('refuses truncated and overlong input with a ChainError', () => {
    fc.assert(
      fc.property(extended, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 3 }), (value, at, more) => {
        const bytes = serializeExtended(value);
        expect(() => parseExtended(bytes.subarray(0, at % bytes.length))).toThrow(ChainError);
        expect(() => parseExtended(Uint8Array.from([...bytes, ...more]))).toThrow(ChainError);
      }),
    );
  });

  it('requires the spent output of every input', () => {
    const tx: Tx = { version: 1, inputs: [], outputs: [], lockTime: 0 };
    expect(() => serializeExtended({ tx, spent: [{ satoshis: satoshis(1), script: fromHex('51') }] })).toThrow(
      ChainError,
    );
  });
});
