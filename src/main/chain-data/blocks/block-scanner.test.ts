import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Block,
  checkPath,
  formatOutpoint,
  fromHex,
  headerHash,
  MerkleTree,
  merkleRoot,
  ownerKeyHash,
  p2pkhScript,
  parseBlock,
  satoshis,
  serializeBlock,
  serializeTx,
  type Tx,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { anyTx, readVectors } from '../../../chain/test-support/fixtures.ts';
import type { BlockFindings, Sought, TouchingTransaction } from '../../ports/chain-data.ts';
import { BlockScanner } from './block-scanner.ts';

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
/** Scans a block that arrives in pieces which end at these places; the memory of each piece is used again. */
function scanRaw(raw: Uint8Array, sought: Sought = {}, cuts: readonly number[] = [], longest?: Longest): BlockFindings {
  const hash = raw.length < 80 ? '' : headerHash(raw.slice(0, 80));
  const scanner = new BlockScanner(hash, sought, longest);
  const ends = [...cuts.map((cut) => cut % (raw.length + 1)), raw.length].sort((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    const piece = raw.slice(from, end);
    scanner.push(piece);
    piece.fill(0xee);
    from = end;
  }
  return scanner.end();
}
type Longest = ConstructorParameters<typeof BlockScanner>[2];
const scan = (block: Block, sought?: Sought, cuts?: readonly number[], longest?: Longest) =>
  scanRaw(serializeBlock(block), sought, cuts, longest);
const refused = (message: string) => expect.objectContaining({ code: 'merkle-invalid', message });
const OTHER_ROOT = refused('The transactions do not lead to the Merkle root of the header.');

/** What a scan should find, said of the whole block. */
function expected({ transactions }: Block, { keys, outpoints, txids, withProof }: Sought): TouchingTransaction[] {
  const made = new Set<string>();
  const tree = new MerkleTree(transactions.map((tx) => txidOf(tx)));
  return transactions.flatMap((tx, index) => {
    const txid = txidOf(tx);
    const touched = tx.inputs
      .map(({ txid: of, vout }) => ({ txid: of, vout }))
      .filter((input) => {
        const outpoint = formatOutpoint(input);
        return outpoints?.has(outpoint) === true || made.has(outpoint);
      });
    const outputs = tx.outputs.flatMap((output, vout) => {
      const owner = ownerKeyHash(output.script);
      return owner !== undefined && keys?.has(toHex(owner)) === true ? [{ vout, ...output }] : [];
    });
    for (const { vout } of outputs) made.add(formatOutpoint({ txid, vout }));
    const isNamed = txids?.has(txid) === true;
    if (touched.length + outputs.length === 0 && !isNamed) return [];
    const paid = tx.outputs.reduce((sum, output) => sum + output.satoshis, 0);
    const isShown = withProof === true && touched.length + outputs.length > 0;
    const path = isNamed || isShown ? tree.path(index) : undefined;
    const raw = isShown ? serializeTx(tx) : undefined;
    return [{ txid, index, inputs: touched, inputCount: tx.inputs.length, outputs, paid, raw, path }];
  });
}

const key = new Uint8Array(20).fill(7);
const keys = new Set([toHex(key)]);
const envelope = (bytes: number) =>
  Uint8Array.of(0x00, 0x63, 0x4d, bytes & 255, bytes >> 8, ...new Uint8Array(bytes), 0x68);
const ourScripts = [
  p2pkhScript(key),
  Uint8Array.of(...p2pkhScript(key), ...envelope(700)),
  Uint8Array.of(...envelope(700), ...p2pkhScript(key)),
  Uint8Array.of(...p2pkhScript(key), 0x6a, ...new Uint8Array(400)),
];
const pays = (script: Uint8Array, lockTime = 0): Tx => ({
  ...tx(lockTime),
  outputs: [{ satoshis: satoshis(9), script }],
});

describe('a scanned block', () => {
  it('gives the same findings in whatever pieces it comes, with a proof of what was named', () => {
    const ours = fc.tuple(anyTx, fc.constantFrom(...ourScripts), fc.boolean()).map(([one, script, isFirst]) => {
      const output = { satoshis: satoshis(1), script };
      return { ...one, outputs: isFirst ? [output, ...one.outputs] : [...one.outputs, output] };
    });
    const foreign = anyTx.map((one) => ({ ...one, inputs: [...one.inputs, ...tx(0).inputs, ...tx(1).inputs] }));
    const txs = fc.array(
      fc.oneof(
        foreign,
        ours.map((one) => ({ ...one, inputs: [...tx(5).inputs, ...one.inputs, ...tx(1).inputs] })),
      ),
      { maxLength: 9 },
    );
    const numbers = fc.array(fc.nat(), { maxLength: 40 });
    fc.assert(
      fc.property(txs, numbers, fc.nat(), fc.boolean(), (transactions, cuts, picked, withProof) => {
        // the last one spends what one before it makes
        const parent = transactions.at(picked % Math.max(transactions.length, 1));
        const child = {
          ...tx(77),
          inputs: [...tx(0).inputs, { ...tx(0).inputs[0]!, txid: parent ? txidOf(parent) : 'ff'.repeat(32) }],
        };
        const block = blockOf([coinbase, ...transactions, child]);
        const named = block.transactions[picked % block.transactions.length] as Tx;
        const spent = named.inputs[0];
        const sought = {
          keys,
          outpoints: new Set(spent ? [formatOutpoint(spent)] : []),
          txids: new Set([txidOf(named)]),
          withProof,
        };
        const { transactions: found, bytes } = scan(block, sought, cuts);
        expect(found).toEqual(expected(block, sought));
        expect(bytes).toBe(serializeBlock(block).length);
        const path = found.find(({ txid }) => txid === txidOf(named))?.path;
        expect(path && checkPath(path).root).toBe(block.header.merkleRoot);
      }),
      { numRuns: 300 },
    );
  });

  it('may arrive byte by byte, and be any of the network', () => {
    const { blocks } = readVectors<{ blocks: string[] }>('rpc_getblockstats.json');
    for (const hex of blocks) {
      const raw = fromHex(hex);
      const txids = new Set(parseBlock(raw).transactions.map((one) => txidOf(one)));
      const every = Array.from(raw, (_, at) => at);
      expect(scanRaw(raw, { txids }, every).transactions.map(({ txid }) => txid)).toEqual([...txids]);
    }
  });

  it('has any number of transactions, of which every path leads to its root', () => {
    for (let count = 0; count < 40; count++) {
      const block = blockOf([coinbase, ...payments(count)]);
      const { transactions } = scan(block, { txids: { has: () => true } });
      expect(transactions).toHaveLength(count + 1);
      for (const { path } of transactions) expect(path && checkPath(path).root).toBe(block.header.merkleRoot);
    }
  });

  it('gives no bytes of a transaction that is too long, nor of more than a share of it, but all paths', () => {
    const long = (bytes: number, n: number): Tx => ({
      ...pays(p2pkhScript(key), n),
      inputs: [{ ...tx(0).inputs[0]!, script: new Uint8Array(bytes) }],
    });
    const overhead = serializeTx(long(999_000, 0)).length - 999_000;
    const longest = 1_000_000 - overhead;
    const block = blockOf([
      coinbase,
      long(longest + 1, 0),
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => long(longest, n)),
    ]);
    const raw = serializeBlock(block);
    for (const cuts of [[], Array.from({ length: raw.length / 65_536 }, (_, at) => at * 65_536)]) {
      const { transactions } = scanRaw(raw, { keys, withProof: true }, cuts);
      expect(transactions.map((one) => one.raw?.length)).toEqual([undefined, ...Array(8).fill(1_000_000), undefined]);
      for (const { path } of transactions) expect(path && checkPath(path).root).toBe(block.header.merkleRoot);
      expect(transactions.every((one) => one.raw === undefined || txidOf(one.raw) === one.txid)).toBe(true);
    }
  });

  it('is another one where its header does not have the hash', () => {
    const raw = serializeBlock(blockOf([coinbase]));
    for (const bytes of [raw, raw.subarray(0, 79), new Uint8Array()]) {
      const scanner = new BlockScanner('ab'.repeat(32), {});
      const read = () => {
        scanner.push(bytes);
        scanner.end();
      };
      expect(read).toThrow(expect.objectContaining({ code: 'header-malformed' }));
    }
  });
  it('is refused with another transaction, one less, one more, or one in another place', () => {
    const honest = [coinbase, ...payments(6)];
    for (let at = 1; at < honest.length; at++) {
      for (const invented of [
        honest.with(at, tx(99)),
        honest.toSpliced(at, 1),
        honest.toSpliced(at, 0, tx(99)),
        honest.toSpliced(at, 1).concat(honest[at] as Tx),
      ]) {
        if (rootOf(invented) !== rootOf(honest)) expect(() => scan(blockOf(invented, honest))).toThrow(OTHER_ROOT);
      }
    }
  });

  it('is refused where it repeats transactions, though the root stays the same', () => {
    for (const count of [2, 4, 5, 6, 8, 9, 10, 12]) {
      const honest = [coinbase, ...payments(count)];
      for (let repeated = 1; repeated < honest.length; repeated++) {
        const invented = [...honest, ...honest.slice(-repeated)];
        if (rootOf(invented) !== rootOf(honest)) continue;
        expect(() => scan(blockOf(invented, honest))).toThrow(refused('The block repeats transactions.'));
      }
    }
    const three = [coinbase, ...payments(2)];
    expect(rootOf([...three, three[2] as Tx])).toBe(rootOf(three));
  });

  it('is refused unless its first transaction alone makes new money: a level of its tree could pass for 64-byte transactions', () => {
    const nodes = [1, 2].map((lockTime) => tx(lockTime, new Uint8Array(4)));
    for (const node of nodes) expect(serializeTx(node)).toHaveLength(64);
    const message = 'New money is not in the first transaction alone.';
    for (const transactions of [nodes, [coinbase, { ...coinbase, lockTime: 1 }]])
      expect(() => scan(blockOf(transactions))).toThrow(refused(message));
    expect(scan(blockOf([coinbase, ...nodes]), { txids: { has: () => true } }).transactions).toHaveLength(3);
  });

  it('is refused wherever it is cut off or goes on', () => {
    const raw = serializeBlock(blockOf([coinbase, ...payments(3)]));
    const malformed = expect.objectContaining({ code: 'block-malformed' });
    for (let end = 80; end < raw.length; end++)
      for (const cuts of [[], [90, 150, 200]]) expect(() => scanRaw(raw.subarray(0, end), {}, cuts)).toThrow(malformed);
    for (const cuts of [[], [raw.length]]) expect(() => scanRaw(Uint8Array.of(...raw, 0), {}, cuts)).toThrow(malformed);
    const none = serializeBlock({ header: { ...header, merkleRoot: '00'.repeat(32) }, transactions: [] });
    expect(() => scanRaw(none)).toThrow(OTHER_ROOT);
  });

  it('is refused where it names another number of transactions, or a length, than it has', () => {
    const malformed = expect.objectContaining({ code: 'block-malformed' });
    const raw = serializeBlock(blockOf([coinbase, ...payments(3)]));
    for (const count of [3, 5, 0xfc]) expect(() => scanRaw(raw.with(80, count))).toThrow(malformed);
    const endless = Uint8Array.of(
      ...raw.subarray(0, 81),
      ...serializeTx(coinbase).subarray(0, 41),
      0xff,
      ...new Uint8Array(6).fill(255),
      0x1f,
      0,
    );
    for (const cuts of [[], [100, 101, 130]]) expect(() => scanRaw(endless, {}, cuts)).toThrow(malformed);
    expect(() => scanRaw(Uint8Array.of(...raw.subarray(0, 80), 0xfd, 4, 0))).toThrow(malformed);
    const rich = { ...coinbase, outputs: [{ ...coinbase.outputs[0]!, satoshis: 21e14 + 1 }] } as unknown as Tx;
    expect(() => scan(blockOf([rich]))).toThrow(malformed);
  });

  it('is refused where it does not end', () => {
    const scanner = new BlockScanner(headerHash(blockOf([coinbase]).header), {}, { script: 1_000, block: 1_000_000 });
    const raw = serializeBlock(blockOf([coinbase]));
    // the script of the first input is said to be longer than any block
    scanner.push(Uint8Array.of(...raw.subarray(0, 122), 0xff, 0, 0, 0, 0, 0, 0, 1, 0));
    const flood = () => {
      for (let n = 0; n < 100; n++) scanner.push(new Uint8Array(65_536));
    };
    expect(flood).toThrow(expect.objectContaining({ code: 'block-malformed', message: 'The block does not end.' }));
  });

  it('may be as long as the longest, and no longer', () => {
    const block = blockOf([coinbase, ...payments(3)]);
    const { length } = serializeBlock(block);
    for (const cuts of [[], [100, 200, 201]])
      expect(scan(block, {}, cuts, { script: 10, block: length }).bytes).toBe(length);
    // what the last piece left over counts as well
    for (const cuts of [[], [length - 1], Array.from({ length }, (_, at) => at)])
      expect(() => scan(block, {}, cuts, { script: 10, block: length - 1 })).toThrow('The block does not end.');
  });
});

describe('an output that is too long to be held', () => {
  const longest = { script: 600, block: 1_000_000 };
  const scripts = [
    [ourScripts[1], true],
    [ourScripts[2], true],
    [Uint8Array.of(...p2pkhScript(new Uint8Array(20).fill(8)), ...envelope(700)), false],
    [Uint8Array.of(...envelope(700), ...p2pkhScript(new Uint8Array(20).fill(8))), false],
    [new Uint8Array(700), false],
  ] as [Uint8Array, boolean][];

  it('is told of where it seems to be ours, beside what it comes with', () => {
    for (const [script, isOurs] of scripts) {
      const two = { ...pays(script), outputs: [...pays(script).outputs, ...pays(p2pkhScript(key)).outputs] };
      const block = blockOf([coinbase, two, pays(p2pkhScript(key), 9)]);
      const small = { satoshis: 9, script: p2pkhScript(key) };
      for (const cuts of [[], [300, 420, 800], Array.from({ length: 2_000 }, (_, at) => at)]) {
        const { transactions } = scan(block, { keys }, cuts, longest);
        const long = isOurs ? [{ vout: 0, satoshis: 9, script: undefined }] : [];
        expect(transactions).toMatchObject([
          { txid: txidOf(two), paid: 18, outputs: [...long, { vout: 1, ...small }] },
          { index: 2, outputs: [{ vout: 0, ...small }] },
        ]);
      }
    }
  });

  it('does not take the room of short ones', () => {
    const longs = [0, 1, 2].map((n) => pays(ourScripts[3] as Uint8Array, n));
    const block = blockOf([coinbase, ...longs, pays(p2pkhScript(key))]);
    const bytes = (ourScripts[3] as Uint8Array).length;
    const { transactions } = scan(block, { keys }, [], { script: 2 * bytes, block: 1_000_000 });
    expect(transactions.map(({ outputs }) => outputs[0]?.script?.length)).toEqual([bytes, bytes, bytes, 25]);
    const tight = scan(block, { keys }, [], { script: bytes, block: 1_000_000 });
    expect(tight.transactions.map(({ outputs }) => outputs[0]?.script?.length)).toEqual([
      bytes,
      undefined,
      undefined,
      25,
    ]);
  });

  it('is no reason to leave out short ones, however many there are', () => {
    const short = Array.from({ length: 50 }, (_, n) => pays(p2pkhScript(key), n));
    const { transactions } = scan(blockOf([coinbase, ...short]), { keys }, [], { script: 60, block: 1_000_000 });
    expect(transactions.every(({ outputs }) => outputs[0]?.script?.length === 25)).toBe(true);
    expect(transactions).toHaveLength(50);
  });
});
