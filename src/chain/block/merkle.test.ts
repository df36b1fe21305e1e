import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BlockHeader,
  fromHex,
  merkleBlock,
  merkleBranch,
  merkleRoot,
  parseHeader,
  parseMerkleBlock,
  proofRoot,
  serializeHeader,
  type TscProof,
  toHex,
  verifyTscProof,
} from '../index.ts';
import { hashHex, readVectors } from '../test-support/fixtures.ts';

interface OldProof {
  target: { merkleroot: string };
}

interface TscCase {
  name: string;
  calls: {
    proof: TscProof;
    headers?: Record<string, string>;
    expect?: 'throws' | 'no-throw' | { isLastInTree: boolean; proofValid: boolean };
    expectNot?: { isLastInTree: boolean; proofValid: boolean };
  }[];
}

const knownRoot = readVectors<OldProof>('tsc-old-format.json').target.merkleroot;
const publicProofs = readVectors<TscProof[]>('tsc-proofs.json');
const standardCases = readVectors<TscCase[]>('tsc-tests.json');
const malformed = expect.objectContaining({ code: 'proof-malformed' });

// block 100,000 of the main network
const TXIDS = [
  '8c14f0db3df150123e6f3dbbf30f8b955a8249b62ac1d1ff16284aefa3d06d87',
  'fff2525b8931402dd09222c50775608f75787bd2b87e56995a7bdd30f79702c4',
  '6359f0868171b1d194cbee1af2f16ea598ae8fad666d9b012c8ed2b79a236ec4',
  'e9a66845e05d5abc0ad04ec80f774a7e585c6e8db975962d069a522137b80c1d',
];
const ROOT = 'f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766';

const blockTxids = fc.uniqueArray(hashHex, { minLength: 1, maxLength: 40 });

describe('merkleRoot and merkleBranch', () => {
  it('compute the root of a published block', () => {
    expect(merkleRoot(TXIDS)).toBe(ROOT);
    expect(merkleRoot(TXIDS.slice(0, 1))).toBe(TXIDS[0]);
  });

  it('create a valid proof for every transaction of any block, and recognise the last one', () => {
    fc.assert(
      fc.property(blockTxids, (txids) => {
        const root = merkleRoot(txids);
        txids.forEach((txid, index) => {
          const proof: TscProof = { index, txOrId: txid, target: '00'.repeat(32), nodes: merkleBranch(txids, index) };
          expect(verifyTscProof(proof, root)).toBe(true);
          expect(proofRoot(proof)).toStrictEqual({ txid, root, lastInTree: index === txids.length - 1 });
        });
      }),
      { numRuns: 40 },
    );
  });

  it('refuse an empty block and an index out of range', () => {
    const invalid = expect.objectContaining({ code: 'merkle-invalid' });
    expect(() => merkleRoot([])).toThrow(invalid);
    for (const index of [-1, 4, 0.5, Number.NaN]) expect(() => merkleBranch(TXIDS, index)).toThrow(invalid);
    expect(() => merkleRoot(['00'])).toThrow(expect.objectContaining({ code: 'hex-invalid' }));
  });
});

describe('TSC proofs', () => {
  it('from the standard verify against their own block only', () => {
    expect(publicProofs.length).toBe(8);
    for (const proof of publicProofs) {
      expect(verifyTscProof(proof, knownRoot)).toBe(true);
      expect(verifyTscProof(proof, ROOT)).toBe(false);
    }
  });

  it.each(standardCases)('$name', ({ calls }) => {
    for (const { proof, headers, expect: wanted, expectNot } of calls) {
      const header = proof.targetType === 'header' ? proof.target : headers?.[proof.target];
      const root = header === undefined ? proof.target : parseHeader(fromHex(header)).merkleRoot;
      if (wanted === 'throws') {
        expect(() => proofRoot(proof)).toThrow(malformed);
        expect(verifyTscProof(proof, root)).toBe(false);
      } else if (wanted === 'no-throw') {
        expect(() => proofRoot(proof)).not.toThrow();
      } else {
        expect(verifyTscProof(proof, root)).toBe(wanted?.proofValid ?? !expectNot?.proofValid);
        if (wanted?.proofValid) expect(proofRoot(proof).lastInTree).toBe(wanted.isLastInTree);
      }
    }
  });

  it('fail if any part is changed', () => {
    const proof = publicProofs[0] as TscProof;
    const other = '11'.repeat(32);
    const changed: TscProof[] = [
      { ...proof, index: 13 },
      { ...proof, index: 12 + 32 },
      { ...proof, txOrId: other },
      { ...proof, nodes: proof.nodes.slice(1) },
      { ...proof, nodes: [...proof.nodes, other] },
      ...proof.nodes.map((_, i) => ({ ...proof, nodes: proof.nodes.with(i, other) })),
      { ...proof, targetType: 'merkleRoot', target: other },
      { ...proof, targetType: 'merkleroot', target: other },
      { ...proof, targetType: 'header', target: '00'.repeat(80) },
      { ...proof, targetType: 'header', target: knownRoot },
    ];
    for (const tampered of changed) expect(verifyTscProof(tampered, knownRoot)).toBe(false);
    expect(verifyTscProof({ ...proof, targetType: 'merkleroot', target: knownRoot }, knownRoot)).toBe(true);
  });

  it('are refused if a part has the wrong type', () => {
    const proof = publicProofs[0] as TscProof;
    const wrong: Record<string, unknown>[] = [
      { index: -1 },
      { index: 1.5 },
      { index: '12' },
      { nodes: undefined },
      { nodes: ['zz'] },
      { nodes: [5] },
      { nodes: Array.from({ length: 65 }, () => '*') },
      { txOrId: 5 },
      { txOrId: 'zz' },
      { txOrId: '00' },
      { target: { hash: proof.target } },
      { targetType: 'block' },
      { proofType: 'tree' },
      { composite: true },
    ];
    for (const part of wrong) {
      const bad = { ...proof, ...part } as TscProof;
      expect(() => proofRoot(bad)).toThrow(malformed);
      expect(verifyTscProof(bad, knownRoot)).toBe(false);
    }
    for (const nothing of [null, undefined, 5, 'x', []])
      expect(verifyTscProof(nothing as unknown as TscProof, knownRoot)).toBe(false);
  });
});

describe('merkle blocks', () => {
  const headerFor = (txids: readonly string[]): BlockHeader => ({
    version: 1,
    previousHash: '00'.repeat(32),
    merkleRoot: merkleRoot(txids),
    time: 1,
    bits: 0x207fffff,
    nonce: 0,
  });

  it('contain exactly the wanted transactions of any block, in order', () => {
    fc.assert(
      fc.property(blockTxids, fc.infiniteStream(fc.boolean()), (txids, choose) => {
        const wanted = txids.filter(() => choose.next().value);
        const header = headerFor(txids);
        const parsed = parseMerkleBlock(merkleBlock(serializeHeader(header), txids, wanted.toReversed()));
        expect(parsed).toStrictEqual({ header, transactionCount: txids.length, txids: wanted, valid: true });
      }),
    );
  });

  it("has the node's layout: header, count, hashes depth first, flag bits", () => {
    const header = serializeHeader(headerFor(TXIDS));
    const proof = toHex(merkleBlock(header, TXIDS, [TXIDS[1] ?? '']));
    const rest = proof.slice(160);
    expect(rest.slice(0, 10)).toBe('0400000003');
    // root and left parent are ancestors (1 1), first leaf is not wanted (0), second is (1), right parent is not (0)
    expect(rest.slice(10 + 3 * 64)).toBe('010b');
    expect(rest.slice(10, 74)).toBe(toHex(fromHex(TXIDS[0] ?? '').reverse()));
  });

  it('is invalid for another root, and if any byte of the tree is changed', () => {
    const txids = TXIDS.slice(0, 3);
    const proof = merkleBlock(serializeHeader(headerFor(txids)), txids, [TXIDS[2] ?? '']);
    for (let at = 36; at < proof.length; at++) {
      // time, bits and nonce of the header are not part of the tree
      if (at >= 68 && at < 80) continue;
      const changed = Uint8Array.from(proof);
      changed[at] = (changed[at] as number) ^ 0xff;
      const outcome = () => {
        try {
          return parseMerkleBlock(changed);
        } catch (error) {
          expect(error).toStrictEqual(malformed);
          return { valid: false, txids: [] };
        }
      };
      expect(outcome()).toMatchObject({ valid: false, txids: [] });
    }
  });

  it('does not accept a repeated hash as another transaction (CVE-2012-2459)', () => {
    const three = TXIDS.slice(0, 3);
    const doubled = [...three, TXIDS[2] ?? ''];
    expect(merkleRoot(doubled)).toBe(merkleRoot(three));
    expect(parseMerkleBlock(merkleBlock(serializeHeader(headerFor(doubled)), doubled, [TXIDS[2] ?? ''])).valid).toBe(
      false,
    );
  });

  it('refuses transactions that are not in the block, and malformed bytes', () => {
    const header = serializeHeader(headerFor(TXIDS));
    const invalid = expect.objectContaining({ code: 'merkle-invalid' });
    expect(() => merkleBlock(header, TXIDS, ['11'.repeat(32)])).toThrow(invalid);
    expect(() => merkleBlock(header, [], [])).toThrow(invalid);
    expect(() => merkleBlock(header.subarray(1), TXIDS, [])).toThrow(
      expect.objectContaining({ code: 'header-malformed' }),
    );
    const proof = merkleBlock(header, TXIDS, [TXIDS[0] ?? '']);
    for (let end = 0; end < proof.length; end++)
      expect(() => parseMerkleBlock(proof.subarray(0, end))).toThrow(malformed);
    expect(() => parseMerkleBlock(Uint8Array.of(...proof, 0))).toThrow(malformed);
    expect(parseMerkleBlock(fromHex(`${toHex(header)}000000000000`)).valid).toBe(false);
  });
});
