import { describe, expect, it } from 'vitest';
import {
  type Block,
  fromHex,
  merkleRoot,
  parseBlock,
  readCheckedBlock,
  runSteps,
  satoshis,
  serializeBlock,
  serializeTx,
  type Tx,
  txidOf,
} from '../index.ts';
import { readVectors } from '../test-support/fixtures.ts';

const coinbase: Tx = {
  version: 1,
  inputs: [{ txid: '00'.repeat(32), vout: 0xffffffff, script: new Uint8Array(4), sequence: 0 }],
  outputs: [{ satoshis: satoshis(5_000_000_000), script: Uint8Array.of(0x51) }],
  lockTime: 0,
};
/** @param script of 4 bytes makes a transaction of 64 bytes */
const tx = (lockTime: number, script = Uint8Array.of(0x51)): Tx => ({
  version: 1,
  inputs: [{ txid: 'fa'.repeat(32), vout: 0, script: new Uint8Array(), sequence: 0 }],
  outputs: [{ satoshis: satoshis(1_000), script }],
  lockTime,
});
const payments = (count: number): Tx[] => Array.from({ length: count }, (_, at) => tx(at));
const header = { version: 1, previousHash: 'aa'.repeat(32), time: 1, bits: 0x207fffff, nonce: 0 };
const rootOf = (txs: readonly Tx[]): string => merkleRoot(txs.map((one) => txidOf(one)));
const blockOf = (transactions: readonly Tx[], committed = transactions): Block => ({
  header: { ...header, merkleRoot: rootOf(committed) },
  transactions,
});
const read = (block: Block): Block => runSteps(readCheckedBlock(serializeBlock(block)));
const refused = (message: string) => expect.objectContaining({ code: 'merkle-invalid', message });
const OTHER_ROOT = refused('The transactions do not lead to the Merkle root of the header.');

describe('a checked block', () => {
  it('is read like any other, with any number of transactions', () => {
    for (let count = 0; count < 40; count++) {
      const block = blockOf([coinbase, ...payments(count)]);
      expect(read(block)).toStrictEqual(block);
    }
    const { blocks } = readVectors<{ blocks: string[] }>('rpc_getblockstats.json');
    for (const hex of blocks) expect(runSteps(readCheckedBlock(fromHex(hex)))).toStrictEqual(parseBlock(fromHex(hex)));
  });

  it('shares the memory of its bytes, so that a large one is not held twice', () => {
    const raw = serializeBlock(blockOf([coinbase, ...payments(2)]));
    const { transactions } = runSteps(readCheckedBlock(raw));
    for (const { outputs } of transactions) expect(outputs[0]?.script.buffer).toBe(raw.buffer);
  });

  it('is read in steps where it is large', () => {
    const large = Array.from({ length: 4 }, (_, at) => tx(at, new Uint8Array(900_000)));
    const steps = readCheckedBlock(serializeBlock(blockOf([coinbase, ...large])));
    let count = 0;
    while (!steps.next().done) count += 1;
    expect(count).toBe(2);
  });

  it('holds no other transaction, none less, none more and none in another place', () => {
    const honest = [coinbase, ...payments(6)];
    for (let at = 1; at < honest.length; at++) {
      for (const invented of [
        honest.with(at, tx(99)),
        honest.toSpliced(at, 1),
        honest.toSpliced(at, 0, tx(99)),
        honest.toSpliced(at, 1).concat(honest[at] as Tx),
      ]) {
        if (rootOf(invented) !== rootOf(honest)) expect(() => read(blockOf(invented, honest))).toThrow(OTHER_ROOT);
      }
    }
  });

  it('repeats no transactions, though the root stays the same', () => {
    for (const count of [2, 4, 5, 6, 8, 9, 10, 12]) {
      const honest = [coinbase, ...payments(count)];
      for (let repeated = 1; repeated < honest.length; repeated++) {
        const invented = [...honest, ...honest.slice(-repeated)];
        if (rootOf(invented) !== rootOf(honest)) continue;
        expect(() => read(blockOf(invented, honest))).toThrow(refused('The block repeats transactions.'));
      }
    }
    const three = [coinbase, ...payments(2)];
    expect(rootOf([...three, three[2] as Tx])).toBe(rootOf(three));
  });

  it('has new money in its first transaction alone, so that it shows no level of a tree as 64-byte transactions', () => {
    const nodes = [1, 2].map((lockTime) => tx(lockTime, new Uint8Array(4)));
    for (const node of nodes) expect(serializeTx(node)).toHaveLength(64);
    const message = 'New money is not in the first transaction alone.';
    for (const transactions of [nodes, [coinbase, { ...coinbase, lockTime: 1 }]])
      expect(() => read(blockOf(transactions))).toThrow(refused(message));
    expect(read(blockOf([coinbase, ...nodes])).transactions).toHaveLength(3);
  });

  it('is complete', () => {
    const raw = serializeBlock(blockOf([coinbase, ...payments(3)]));
    const malformed = expect.objectContaining({ code: 'block-malformed' });
    for (let end = 0; end < raw.length; end++)
      expect(() => runSteps(readCheckedBlock(raw.subarray(0, end)))).toThrow(malformed);
    expect(() => runSteps(readCheckedBlock(Uint8Array.of(...raw, 0)))).toThrow(malformed);
    const none = serializeBlock({ header: { ...header, merkleRoot: '00'.repeat(32) }, transactions: [] });
    expect(() => runSteps(readCheckedBlock(none))).toThrow(OTHER_ROOT);
  });
});
