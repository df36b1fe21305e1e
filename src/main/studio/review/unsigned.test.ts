import { expect, it } from 'vitest';
import { hash160, p2pkhScript, satoshis, serializeTx, type Tx, toTxObj } from '../../../chain/index.ts';
import { packed, ReadTransaction, readTransaction, unpacked, unsignedBytes } from './unsigned.ts';

const script = p2pkhScript(hash160(Uint8Array.of(1)));
const tx: Tx = {
  version: 1,
  inputs: [{ txid: 'ab'.repeat(32), vout: 3, script: new Uint8Array(0), sequence: 0xffffffff }],
  outputs: [
    { satoshis: satoshis(1), script: new Uint8Array(100_000).fill(7) },
    { satoshis: satoshis(5_000), script },
  ],
  lockTime: 0,
};
const [input] = tx.inputs as [(typeof tx.inputs)[number]];
const spent = [{ txid: input.txid, vout: input.vout, satoshis: satoshis(9_000), lockingScript: script }];

it('a transaction object comes back as it was read, from half of its size', () => {
  const txObj = { ...toTxObj(tx, spent, { script, index: 1 }), hash: 'cd'.repeat(32), more: 'of no meaning' };
  const { stored, read } = packed(txObj);
  expect(stored.length).toBeLessThan(0.6 * JSON.stringify(txObj).length);
  const expected = readTransaction(txObj);
  expect(readTransaction(read)).toEqual(expected);
  const back = unpacked(stored);
  expect(back).toBeInstanceOf(ReadTransaction);
  expect(readTransaction(back)).toEqual(expected);
});

it('the signed bytes are those that were stored and reviewed, without a copy', () => {
  const txObj = toTxObj(tx, spent);
  const { stored, read } = packed(txObj);
  const bytes = serializeTx(tx);
  for (const one of [txObj, read, unpacked(stored)]) expect(Buffer.compare(unsignedBytes(one), bytes)).toBe(0);
  const { buffer } = stored as Uint8Array;
  expect(unsignedBytes(read).buffer).toBe(buffer);
  expect(readTransaction(read).tx.outputs[0]?.script.buffer).toBe(buffer);
});

it('an unreadable transaction, and JSON of an earlier version, are returned as JSON', () => {
  const strange = { inputs: 'none' };
  expect(unpacked(packed(strange).stored)).toEqual(strange);
  const txObj = toTxObj(tx, spent);
  expect(readTransaction(unpacked(JSON.stringify(txObj)))).toEqual(readTransaction(txObj));
});
