import { describe, expect, it } from 'vitest';
import { satoshis, serializeTx, toHex } from '../../../chain/index.ts';
import { readSource } from './read-source.ts';

/** A transaction of so many inputs, and an output of `n`. */
function rawOf(n: number, inputs = 1): Uint8Array {
  const input = { txid: 'ab'.repeat(32), vout: n, script: new Uint8Array(), sequence: 0 };
  return serializeTx({
    version: 1,
    inputs: Array.from({ length: inputs }, (_, vout) => ({ ...input, vout: vout + n })),
    outputs: [{ satoshis: satoshis(n), script: new Uint8Array() }],
    lockTime: 0,
  });
}
const hexOf = (n: number): string => toHex(rawOf(n));
const read = async (source: string | Uint8Array) => {
  const { transactions, unreadable } = await readSource(source);
  return {
    found: transactions.map(({ place, raw }) => [place, toHex(raw)]),
    unreadable: unreadable.map(({ place, error }) => [place, error.id]),
  };
};

describe('a text of transactions', () => {
  it('holds one in each line, with or without blanks and 0x, and each counts once', async () => {
    const text = `\n  0x${hexOf(1)}\t\r\n${hexOf(2).toUpperCase()}\u00a0,${hexOf(1)};\v${hexOf(3)}\r${hexOf(4)}\n`;
    const found = [1, 2, 4, 5].map((place, n) => [place, hexOf(n + 1)]);
    expect(await read(text)).toEqual({ found, unreadable: [] });
    expect(await read(Buffer.from(text.replace('\u00a0', '')))).toEqual({ found, unreadable: [] });
  });

  it('is read with the line of each part that is no transaction', async () => {
    const text = `${hexOf(1)}\n\nno hex\n${hexOf(2)}0\n${hexOf(2).slice(0, -2)}\n${hexOf(3)}\u0130`;
    expect(await read(text)).toEqual({
      found: [[1, hexOf(1)]],
      unreadable: [
        [3, 'merchant.transaction-not-hex'],
        [4, 'merchant.transaction-not-hex'],
        [5, 'merchant.transaction-cut-off'],
        [6, 'merchant.transaction-not-hex'],
      ],
    });
  });

  it('may be JSON, or lines of JSON', async () => {
    const found = [1, 2].map((n) => [n, hexOf(n)]);
    const list = [hexOf(1), { rawTx: hexOf(2) }];
    expect(await read(` ${JSON.stringify(list)}\n`)).toEqual({ found, unreadable: [] });
    expect(await read(list.map((one) => JSON.stringify(one).replace(',', '')).join('\n'))).toEqual({
      found,
      unreadable: [],
    });
  });

  it('may hold a line longer than what is read at once', async () => {
    const long = rawOf(1, 5_000);
    expect(await read(`${toHex(long)}\n${hexOf(2)}`)).toEqual({
      found: [
        [1, toHex(long)],
        [2, hexOf(2)],
      ],
      unreadable: [],
    });
  });
});

it('the reader of transactions reads a hundred thousand inputs and outputs, and no more, whether they are of one transaction or of many', async () => {
  const most = 100_000 - 2;
  expect((await readSource(rawOf(1, most))).unreadable).toEqual([]);
  const many = Array.from({ length: 40_000 }, (_, n) => rawOf(n));
  for (const source of [rawOf(1, most + 1), Buffer.concat(many)]) {
    const { transactions, unreadable } = await readSource(source);
    expect(transactions).toEqual([]);
    expect(unreadable.map(({ error }) => error.message)).toEqual([
      expect.stringContaining('hand them over in several parts'),
    ]);
  }
  const lines = await readSource(many.map((raw) => toHex(raw)).join('\n'));
  expect([lines.transactions.length, lines.unreadable.length]).toEqual([33_333, 1]);
});

it('the reader of transactions refuses a list that is too large to be read as one, and cuts none into lines', async () => {
  const list = (bytes: number) => `["${'ab'.repeat(bytes / 2)}"]`;
  await expect(readSource(list(24 * 1_048_576))).rejects.toMatchObject({ id: 'merchant.upload-too-large' });
  const { transactions, unreadable } = await readSource(list(1_000));
  expect([transactions.length, unreadable.length]).toEqual([0, 1]);
});
