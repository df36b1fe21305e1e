import { ByteWriter } from '../encoding/writer.ts';

const TXID = 2;
const DUPLICATE = 1;
const HASH = 0;

/** The branch of one transaction, as `MerkleTree.branch` or a TSC proof has it. */
export interface MerkleBranch {
  /** Display hex. */
  readonly txid: string;
  /** Place in the block; 0 is the coinbase. */
  readonly index: number;
  /** Height of the block. */
  readonly height: number;
  /** Sibling hashes from the leaf up, display hex; `*` where a hash is paired with itself. */
  readonly nodes: readonly string[];
}

/** Writes the branch of one transaction as a BUMP (BRC-74). */
export function branchBump({ txid, index, height, nodes }: MerkleBranch): Uint8Array {
  const writer = new ByteWriter(16 + 35 * (nodes.length + 1));
  writer.varint(height);
  // A block of one transaction has a level too: its leaf is the root.
  writer.u8(Math.max(1, nodes.length));
  const own = (): void => {
    writer.varint(index);
    writer.u8(TXID);
    writer.hash(txid);
  };
  if (nodes.length === 0) {
    writer.varint(1);
    own();
  }
  let at = index;
  for (const [level, node] of nodes.entries()) {
    const sibling = at % 2 === 0 ? at + 1 : at - 1;
    const isLeaf = level === 0;
    writer.varint(isLeaf ? 2 : 1);
    if (isLeaf && sibling > at) own();
    writer.varint(sibling);
    writer.u8(node === '*' ? DUPLICATE : HASH);
    if (node !== '*') writer.hash(node);
    if (isLeaf && sibling < at) own();
    at = Math.floor(at / 2);
  }
  return writer.done();
}
