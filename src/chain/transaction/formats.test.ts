import { Beef, MerklePath, Transaction } from '@bsv/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ChainError,
  concatBytes,
  p2pkhScript,
  readFormatted,
  runSteps,
  satoshis,
  serializeTx,
  type Tx,
  toHex,
  txidOf,
} from '../index.ts';
import { key, keyHash } from '../test-support/fixtures.ts';

const script = p2pkhScript(keyHash(key));

function tx(spends: { txid: string; vout: number }, value: number): Tx {
  return {
    version: 1,
    inputs: [{ ...spends, script: Uint8Array.of(1, 7), sequence: 0xffffffff }],
    outputs: [{ satoshis: satoshis(value), script }],
    lockTime: 0,
  };
}

const mined = tx({ txid: 'aa'.repeat(32), vout: 1 }, 5_000);
const parent = tx({ txid: txidOf(mined), vout: 0 }, 4_000);
const child = tx({ txid: txidOf(parent), vout: 0 }, 3_000);
const bytesOf = (numbers: number[]): Uint8Array => Uint8Array.from(numbers);
const read = (bytes: Uint8Array) => runSteps(readFormatted(bytes));

/** The same chain of transactions in the SDK's form, whose first has a proof. */
function sdkChain(): Transaction {
  const first = Transaction.fromHex(toHex(serializeTx(mined)));
  first.merklePath = new MerklePath(8, [
    [
      { offset: 0, hash: txidOf(mined), txid: true },
      { offset: 1, hash: 'bb'.repeat(32) },
    ],
  ]);
  const second = Transaction.fromHex(toHex(serializeTx(parent)));
  const third = Transaction.fromHex(toHex(serializeTx(child)));
  for (const [spending, spent] of [
    [second, first],
    [third, second],
  ] as const) {
    const [input] = spending.inputs;
    if (input) input.sourceTransaction = spent;
  }
  return third;
}

describe('parsing transactions in any serialisation', () => {
  it('reads no more inputs, outputs and transactions than the limit in any format', () => {
    const raw = concatBytes(serializeTx(parent), serializeTx(child));
    const extended = bytesOf(sdkChain().toEF());
    const beef = bytesOf(sdkChain().toBEEF());
    for (const [bytes, parts, found] of [
      [raw, 6, 2],
      [extended, 3, 1],
      [beef, 12, 2],
    ] as const) {
      expect(runSteps(readFormatted(bytes, parts))).toHaveLength(found);
      for (const fewer of [parts - 1, 1])
        expect(() => runSteps(readFormatted(bytes, fewer))).toThrow('more parts than are read');
    }
  });

  it('reads consecutive raw transactions', () => {
    const found = read(concatBytes(serializeTx(parent), serializeTx(child)));
    expect(found.map(({ txid, format, spent }) => ({ txid, format, spent }))).toEqual([
      { txid: txidOf(parent), format: 'raw', spent: [undefined] },
      { txid: txidOf(child), format: 'raw', spent: [undefined] },
    ]);
  });

  it('reads the extended format as the SDK writes it, with what each input spends', () => {
    const extended = bytesOf(sdkChain().toEF());
    const [found, ...rest] = read(concatBytes(extended, serializeTx(mined)));
    expect(found).toMatchObject({ txid: txidOf(child), format: 'ef', tx: child, spent: parent.outputs });
    expect(toHex(found?.raw ?? new Uint8Array(0))).toBe(toHex(serializeTx(child)));
    expect(rest).toMatchObject([{ txid: txidOf(mined), format: 'raw' }]);
  });

  it.each([
    ['BEEF', () => sdkChain().toBEEF()],
    ['atomic BEEF', () => sdkChain().toAtomicBEEF()],
    [
      'BEEF of the second version',
      () => {
        const beef = new Beef();
        beef.mergeTransaction(sdkChain());
        return beef.toBinary();
      },
    ],
  ])('reads the unproven transactions of a %s, parents first', (_, write) => {
    const found = read(bytesOf(write()));
    expect(found.map(({ txid, format }) => ({ txid, format }))).toEqual([
      { txid: txidOf(parent), format: 'beef' },
      { txid: txidOf(child), format: 'beef' },
    ]);
    expect(found[0]?.spent).toEqual(mined.outputs);
    expect(found[1]?.spent).toEqual(parent.outputs);
  });

  it('reads the last transaction of a BEEF in which all have a proof', () => {
    const first = Transaction.fromHex(toHex(serializeTx(mined)));
    first.merklePath = new MerklePath(8, [
      [
        { offset: 0, hash: txidOf(mined), txid: true },
        { offset: 1, hash: 'bb'.repeat(32) },
      ],
    ]);
    expect(read(bytesOf(first.toBEEF()))).toMatchObject([{ txid: txidOf(mined) }]);
  });

  it('throws an error of its own for anything else', () => {
    expect(() => read(new Uint8Array(0))).toThrow(ChainError);
    const samples = [serializeTx(child), bytesOf(sdkChain().toEF()), bytesOf(sdkChain().toBEEF())];
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.nat(),
        fc.integer({ min: 0, max: 255 }),
        fc.nat(),
        (sample, at, byte, cut) => {
          const altered = sample.slice(0, 1 + (cut % sample.length));
          altered[at % altered.length] = byte;
          try {
            for (const { raw, txid } of read(altered)) expect(txidOf(raw)).toBe(txid);
          } catch (error) {
            expect(error).toBeInstanceOf(ChainError);
          }
        },
      ),
    );
  });
});
