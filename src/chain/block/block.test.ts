import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bitsToTarget,
  difficultyOf,
  fromHex,
  headerHash,
  isCoinbase,
  medianTime,
  meetsTarget,
  merkleRoot,
  parseBlock,
  parseHeader,
  serializeBlock,
  serializeHeader,
  targetToBits,
  toHex,
  txidOf,
  workOf,
} from '../index.ts';
import { anyTx, hashHex, i32, readVectors, u32 } from '../test-support/fixtures.ts';

interface ChainVector {
  blocks: string[];
  stats: { blockhash: string; height: number; time: number; mediantime: number; txs: number; outs: number }[];
}

const chain = readVectors<ChainVector>('rpc_getblockstats.json');
const GENESIS =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e' +
  '4a29ab5f49ffff001d1dac2b7c';
const GENESIS_HASH = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';

describe('headers', () => {
  it('parse, serialise and hash the genesis header', () => {
    const header = parseHeader(fromHex(GENESIS));
    expect(header).toStrictEqual({
      version: 1,
      previousHash: '0'.repeat(64),
      merkleRoot: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
      time: 1231006505,
      bits: 0x1d00ffff,
      nonce: 2083236893,
    });
    expect(headerHash(header)).toBe(GENESIS_HASH);
    expect(headerHash(fromHex(GENESIS))).toBe(GENESIS_HASH);
  });

  it('round-trip, and have exactly 80 bytes', () => {
    const header = fc.record(
      { version: i32, previousHash: hashHex, merkleRoot: hashHex, time: u32, bits: u32, nonce: u32 },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(header, (value) => {
        expect(parseHeader(serializeHeader(value))).toStrictEqual(value);
      }),
    );
    for (const length of [0, 79, 81]) {
      const wrong = expect.objectContaining({ code: 'header-malformed' });
      expect(() => parseHeader(new Uint8Array(length))).toThrow(wrong);
      expect(() => headerHash(new Uint8Array(length))).toThrow(wrong);
    }
  });
});

describe('blocks', () => {
  const blocks = chain.blocks.map((raw) => parseBlock(fromHex(raw)));

  it("of the node's test chain round-trip, link to each other, and match their work and Merkle root", () => {
    expect(blocks.length).toBe(104);
    for (const [height, block] of blocks.entries()) {
      expect(toHex(serializeBlock(block))).toBe(chain.blocks[height]);
      expect(merkleRoot(block.transactions.map(txidOf))).toBe(block.header.merkleRoot);
      expect(meetsTarget(headerHash(block.header), block.header.bits)).toBe(true);
      expect(block.transactions.map(isCoinbase).indexOf(true)).toBe(0);
      if (height > 0)
        expect(block.header.previousHash).toBe(headerHash(blocks[height - 1]?.header ?? new Uint8Array()));
    }
  });

  it("match the node's own statistics", () => {
    const times = blocks.map(({ header }) => header.time);
    for (const { blockhash, height, time, mediantime, txs, outs } of chain.stats) {
      const block = blocks[height];
      expect(block && headerHash(block.header)).toBe(blockhash);
      expect(block?.header.time).toBe(time);
      expect(medianTime(times.slice(0, height + 1))).toBe(mediantime);
      expect(block?.transactions.length).toBe(txs);
      expect(block?.transactions.flatMap((tx) => tx.outputs).length).toBe(outs);
    }
  });

  it('round-trip, and refuse every truncation and trailing bytes', () => {
    const header = parseHeader(fromHex(GENESIS));
    fc.assert(
      fc.property(fc.array(anyTx, { maxLength: 3 }), (transactions) => {
        expect(parseBlock(serializeBlock({ header, transactions }))).toStrictEqual({ header, transactions });
      }),
      { numRuns: 50 },
    );
    const raw = fromHex(chain.blocks.at(-1) ?? '');
    const malformed = expect.objectContaining({ code: 'block-malformed' });
    for (let end = 0; end < raw.length; end++) expect(() => parseBlock(raw.subarray(0, end))).toThrow(malformed);
    expect(() => parseBlock(Uint8Array.of(...raw, 0))).toThrow(malformed);
    expect(() => parseBlock(fromHex(`${GENESIS}feffffffff`))).toThrow(malformed);
  });
});

describe('work', () => {
  it('decodes compact targets', () => {
    expect(bitsToTarget(0x1d00ffff)).toBe(0xffffn << 208n);
    expect(bitsToTarget(0x207fffff)).toBe(0x7fffffn << 232n);
    expect(bitsToTarget(0x01120000)).toBe(0x12n);
    expect(bitsToTarget(0x02123400)).toBe(0x1234n);
    expect(bitsToTarget(0x05009234)).toBe(0x92340000n);
  });

  it('returns 0 for negative, zero and overflowing compact targets', () => {
    for (const bits of [0, 0x01003456, 0x04923456, 0xff123456, 0x23000001, 0x22000100, 0x21010000])
      expect(bitsToTarget(bits)).toBe(0n);
    expect(bitsToTarget(0x220000ff)).toBe(0xffn << 248n);
    expect(workOf(0xff123456)).toBe(0n);
    expect(meetsTarget('0'.repeat(64), 0)).toBe(false);
  });

  it('encodes targets as the node does', () => {
    for (const bits of [0x1d00ffff, 0x207fffff, 0x1b0404cb, 0x04923400, 0x02123400, 0x01120000, 0x05009234])
      expect(bitsToTarget(targetToBits(bitsToTarget(bits)))).toBe(bitsToTarget(bits));
    expect(targetToBits((1n << 224n) - 1n)).toBe(0x1d00ffff);
    expect(targetToBits(0x80n)).toBe(0x02008000);
    expect(targetToBits(0x12345678n)).toBe(0x04123456);
    expect(targetToBits(0n)).toBe(0);
  });

  it('computes work and difficulty like the node', () => {
    expect(workOf(0x1d00ffff)).toBe(0x100010001n);
    expect(workOf(0x207fffff)).toBe(2n);
    expect(difficultyOf(0x1d00ffff)).toBe(1);
    expect(difficultyOf(0x1b0404cb)).toBe(16307.42093852398);
    expect(difficultyOf(0x207fffff)).toBe(4.656542373906925e-10);
  });

  it('compares a hash with its target', () => {
    expect(meetsTarget(GENESIS_HASH, 0x1d00ffff)).toBe(true);
    expect(meetsTarget(GENESIS_HASH, 0x1900ffff)).toBe(false);
    const limit = bitsToTarget(0x1d00ffff).toString(16).padStart(64, '0');
    expect(meetsTarget(limit, 0x1d00ffff)).toBe(true);
    expect(meetsTarget((bitsToTarget(0x1d00ffff) + 1n).toString(16).padStart(64, '0'), 0x1d00ffff)).toBe(false);
    expect(meetsTarget('', 0x1d00ffff)).toBe(false);
  });
});

describe('medianTime', () => {
  it('uses the last eleven times, sorted numerically', () => {
    expect(medianTime([5])).toBe(5);
    expect(medianTime([3, 1])).toBe(3);
    expect(medianTime([100, 9, 20])).toBe(20);
    expect(medianTime([1e9, 1e9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])).toBe(6);
    expect(() => medianTime([])).toThrow(expect.objectContaining({ code: 'header-malformed' }));
  });
});
