import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ByteReader,
  ChainError,
  concatBytes,
  fromHex,
  isCoinbase,
  ONE_SATOSHI,
  parseTx,
  readTx,
  serializeTx,
  toHex,
  txidOf,
  txParts,
  txSize,
} from '../index.ts';
import { anyTx, readVectors } from '../test-support/fixtures.ts';

type TxCase = [prevouts: unknown[], raw: string, flags: unknown];

const cases = (name: string) =>
  readVectors<(TxCase | [string])[]>(name).filter((entry): entry is TxCase => Array.isArray(entry[0]));
const malformed = expect.objectContaining({ code: 'tx-malformed' });

const GENESIS_COINBASE =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a61' +
  '6e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a0100' +
  '0000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b' +
  '6bf11d5fac00000000';

describe('parseTx', () => {
  it("parses the node's valid transactions and serialises the same bytes", () => {
    const valid = cases('tx_valid.json');
    expect(valid.length).toBeGreaterThan(90);
    for (const [, raw] of valid) {
      const tx = parseTx(fromHex(raw));
      expect(toHex(serializeTx(tx))).toBe(raw);
      expect(txSize(tx)).toBe(raw.length / 2);
      expect(txidOf(tx)).toBe(txidOf(fromHex(raw)));
    }
  });

  it("parses the node's invalid ones too, except those that exceed the maximum supply", () => {
    const refused: string[] = [];
    for (const [, raw] of cases('tx_invalid.json')) {
      try {
        expect(toHex(serializeTx(parseTx(fromHex(raw))))).toBe(raw);
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        expect(error.code).toBe('tx-malformed');
        refused.push(raw);
      }
    }
    const reasons = {
      'minus one': 'ffffffffffffffff015100000000',
      'all money and one': '0140075af0750700015100000000',
      segwit: '010000000001',
    };
    const reasonOf = (raw: string) =>
      Object.entries(reasons).find(([, mark]) => raw.startsWith(mark) || raw.endsWith(mark))?.[0];
    expect(refused.map(reasonOf)).toStrictEqual(['minus one', 'all money and one', 'segwit', 'segwit']);
  });

  it('parses the coinbase of the genesis block', () => {
    const tx = parseTx(fromHex(GENESIS_COINBASE));
    expect(txidOf(tx)).toBe('4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b');
    expect(tx.outputs[0]?.satoshis).toBe(5_000_000_000);
    expect(isCoinbase(tx)).toBe(true);
    expect(isCoinbase({ ...tx, inputs: [...tx.inputs, ...tx.inputs] })).toBe(false);
    expect(isCoinbase({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, vout: 0 })) })).toBe(false);
  });

  it('round-trips any transaction', () => {
    fc.assert(
      fc.property(anyTx, (tx) => {
        const bytes = serializeTx(tx);
        expect(parseTx(bytes)).toStrictEqual(tx);
        expect(txSize(tx)).toBe(bytes.length);
      }),
    );
  });

  it('serialises to the same bytes and id in parts that leave long scripts in place', () => {
    const long = new Uint8Array(10_000).fill(7);
    fc.assert(
      fc.property(anyTx, fc.array(fc.constantFrom(long, new Uint8Array(4_095), new Uint8Array(3))), (any, scripts) => {
        const tx = {
          ...any,
          outputs: [...any.outputs, ...scripts.map((script) => ({ satoshis: ONE_SATOSHI, script }))],
        };
        const parts = txParts(tx);
        expect(concatBytes(...parts)).toStrictEqual(serializeTx(tx));
        expect(parts.filter((part) => part === long)).toHaveLength(scripts.filter((script) => script === long).length);
        expect(txidOf(tx)).toBe(txidOf(serializeTx(tx)));
      }),
    );
  });

  it('refuses every truncation and trailing bytes', () => {
    const bytes = fromHex(GENESIS_COINBASE);
    for (let end = 0; end < bytes.length; end++) expect(() => parseTx(bytes.subarray(0, end))).toThrow(malformed);
    expect(() => parseTx(Uint8Array.of(...bytes, 0))).toThrow(malformed);
  });

  it('parses any bytes or throws its own error, and never parses two byte strings as the same transaction', () => {
    const raw = cases('tx_valid.json').map(([, hex]) => fromHex(hex));
    const damaged = fc.tuple(fc.constantFrom(...raw), fc.nat(), fc.nat({ max: 255 })).map(([bytes, at, value]) => {
      const copy = Uint8Array.from(bytes);
      copy[at % copy.length] = value;
      return copy;
    });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 100 })), (bytes) => {
        try {
          expect(serializeTx(parseTx(bytes))).toStrictEqual(bytes);
        } catch (error) {
          expect(error).toStrictEqual(malformed);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('allocates nothing for an impossible count or length', () => {
    const impossible = [
      '01000000feffffffff',
      '01000000ffffffffffffff1f00',
      `0100000001${'00'.repeat(36)}feffffffff00000000`,
      '0100000000feffffff7f',
    ];
    const before = process.memoryUsage().rss;
    for (const hex of impossible) expect(() => parseTx(fromHex(`${hex}${'00'.repeat(40)}`))).toThrow(malformed);
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
  });

  it('reads several consecutive transactions from one reader', () => {
    const bytes = fromHex(GENESIS_COINBASE);
    const reader = new ByteReader(Uint8Array.of(...bytes, ...bytes), 'block-malformed');
    expect(readTx(reader)).toStrictEqual(readTx(reader));
    expect(() => readTx(reader)).toThrow(expect.objectContaining({ code: 'block-malformed' }));
  });
});
