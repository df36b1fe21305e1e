import { Beef as SdkBeef } from '@bsv/sdk';
import { describe, expect, it } from 'vitest';
import {
  bumpOfPath,
  ChainError,
  concatBytes,
  displayToHash,
  fromHex,
  parseBeef,
  serializeBeef,
  serializeTx,
  toHex,
  txidOf,
} from '../index.ts';
import { isBeef } from './beef.ts';

const raw = (n: number, parent = 'ab'.repeat(32)): Uint8Array =>
  serializeTx({
    version: 1,
    inputs: [{ txid: parent, vout: n, script: Uint8Array.of(0x51), sequence: 0 }],
    outputs: [{ satoshis: 1_000, script: new Uint8Array(300) } as never],
    lockTime: 0,
  });
const bumpOf = (tx: Uint8Array, height: number): Uint8Array =>
  bumpOfPath(height, { txid: txidOf(tx), index: 0, siblings: [displayToHash('cd'.repeat(32))] });
const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
  } catch (error) {
    if (error instanceof ChainError) return error.code;
    throw error;
  }
  return undefined;
};

describe('a written BEEF', () => {
  const [one, two] = [raw(1), raw(2)];
  const child = raw(0, txidOf(two));
  const bytes = serializeBeef([
    { rawTx: one, bump: bumpOf(one, 70) },
    { rawTx: two, bump: bumpOf(two, 80) },
    { rawTx: child, bump: null },
  ]);

  it('contains the given transactions, each with its own path', () => {
    const { bumps, transactions, subject } = parseBeef(bytes);
    expect(bumps.map(({ height }) => height)).toEqual([70, 80]);
    expect(transactions.map(({ raw, bump }) => [toHex(raw as Uint8Array), bump?.height])).toEqual([
      [toHex(one), 70],
      [toHex(two), 80],
      [toHex(child), undefined],
    ]);
    expect(subject).toBeUndefined();
  });

  it('is refused if it has more parts than the limit', () => {
    expect(parseBeef(bytes, { most: 3 }).transactions).toHaveLength(3);
    expect(codeOf(() => parseBeef(bytes, { most: 2 }))).toBe('proof-malformed');
    expect(codeOf(() => parseBeef(bytes, { most: 1 }))).toBe('proof-malformed');
  });

  it('is refused if its transactions have more inputs, outputs and hashes than the limit', () => {
    // two paths of two hashes each, three transactions of an input and an output each
    expect(parseBeef(bytes, { parts: 15 }).transactions).toHaveLength(3);
    expect(codeOf(() => parseBeef(bytes, { parts: 14 }))).toBe('proof-malformed');
  });

  it('is read as views of its bytes on request', () => {
    const [first] = parseBeef(bytes, { shared: true }).transactions;
    expect(first?.raw?.buffer).toBe(bytes.buffer);
    expect(parseBeef(bytes).transactions[0]?.raw?.buffer).not.toBe(bytes.buffer);
  });

  it('is read by another implementation', () => {
    const read = SdkBeef.fromBinary([...bytes]);
    expect(read.txs.map(({ txid, bumpIndex }) => [txid, bumpIndex])).toEqual([
      [txidOf(one), 0],
      [txidOf(two), 1],
      [txidOf(child), undefined],
    ]);
    expect(read.bumps.map(({ blockHeight }) => blockHeight)).toEqual([70, 80]);
  });

  it('lists its own transaction last', () => {
    expect(codeOf(() => parseBeef(bytes))).toBeUndefined();
    expect(codeOf(() => parseBeef(concatBytes(bytes, Uint8Array.of(0))))).toBe('proof-malformed');
  });
});

describe('BEEF version 2', () => {
  const v2 = (...entries: Uint8Array[]): Uint8Array =>
    concatBytes(fromHex('0200beef00'), Uint8Array.of(entries.length), ...entries);

  it('may contain a transaction as its id only', () => {
    const id = 'ef'.repeat(32);
    const { transactions } = parseBeef(
      v2(concatBytes(Uint8Array.of(2), displayToHash(id)), concatBytes(Uint8Array.of(0), raw(1))),
    );
    expect(transactions).toEqual([
      { txid: id, raw: null, bump: null },
      { txid: txidOf(raw(1)), raw: raw(1), bump: null },
    ]);
  });

  it('refuses a fourth format of transactions', () => {
    expect(codeOf(() => parseBeef(v2(concatBytes(Uint8Array.of(3), raw(1)))))).toBe('proof-malformed');
  });
});

it('the first four bytes determine the version of a BEEF', () => {
  for (const begin of ['0100beef', '0200beef', '01010101']) {
    expect(isBeef(fromHex(begin)), begin).toBe(true);
    expect(isBeef(fromHex(`${begin}00`)), begin).toBe(true);
    expect(isBeef(fromHex(begin.slice(2))), begin).toBe(false);
    expect(isBeef(fromHex(`00${begin}`)), begin).toBe(false);
  }
  for (const short of ['', '01', '0100be']) expect(isBeef(fromHex(short))).toBe(false);
});
