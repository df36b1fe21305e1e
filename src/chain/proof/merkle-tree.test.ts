import { MerklePath } from '@bsv/sdk';
import { describe, expect, it } from 'vitest';
import { merkleBranch, merkleRoot } from '../block/merkle.ts';
import { sha256d, toHex } from '../encoding/bytes.ts';
import { bumpOfPath } from './bump.ts';
import { MerkleTree } from './merkle-tree.ts';

const txidsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => toHex(sha256d(Uint8Array.of(n & 255, n >> 8))));

describe('the Merkle tree of a block', () => {
  it.each([1, 2, 3, 4, 5, 7, 8, 11, 64, 100])('computes the root and branches of %i transactions', (count) => {
    const txids = txidsOf(count);
    const tree = new MerkleTree(txids);
    expect(tree.root).toBe(merkleRoot(txids));
    for (const index of txids.keys()) expect(tree.branch(index)).toEqual(merkleBranch(txids, index));
  });

  it.each([1, 2, 3, 5, 8, 13])('writes BUMPs of %i transactions that the SDK reads', (count) => {
    const txids = txidsOf(count);
    const tree = new MerkleTree(txids);
    for (const [index, txid] of txids.entries()) {
      const bump = bumpOfPath(851_234, tree.path(index));
      const read = MerklePath.fromBinary([...bump]);
      expect(read.blockHeight).toBe(851_234);
      expect(read.computeRoot(txid)).toBe(tree.root);
      expect(toHex(Uint8Array.from(read.toBinary()))).toBe(toHex(bump));
    }
  });
});
