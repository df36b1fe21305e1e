import { displayToHash, equalBytes, hashToDisplay } from '../encoding/bytes.ts';
import { ByteReader } from '../encoding/reader.ts';
import { ByteWriter } from '../encoding/writer.ts';
import { ChainError } from '../errors.ts';
import { type BlockHeader, HEADER_BYTES, readHeader } from './block.ts';
import { hashPair } from './merkle.ts';

export interface MerkleBlock {
  readonly header: BlockHeader;
  readonly transactionCount: number;
  /** The matched transactions, in block order; empty if `valid` is false. */
  readonly txids: string[];
  /** True if the partial tree is well formed and its root matches the header. */
  readonly valid: boolean;
}

/**
 * The serialised merkle block of the node's `gettxoutproof`: header, transaction count, hashes and flag bits of the partial tree.
 * @param header the block's 80 bytes.
 * @param txids every txid of the block in block order, display hex.
 * @param wanted the transactions to prove.
 * @throws ChainError `merkle-invalid` if the block is empty or does not contain a wanted transaction.
 */
export function merkleBlock(header: Uint8Array, txids: readonly string[], wanted: readonly string[]): Uint8Array {
  if (header.length !== HEADER_BYTES)
    throw new ChainError('header-malformed', 'A header has 80 bytes.', { length: header.length });
  const wantedSet = new Set(wanted);
  const matches = txids.map((txid) => wantedSet.has(txid));
  const found = new Set(txids.filter((_, i) => matches[i]));
  if (txids.length === 0 || found.size < wantedSet.size) {
    throw new ChainError('merkle-invalid', 'Not all transactions are in the block.', {
      wanted: wantedSet.size,
      found: found.size,
    });
  }
  const levels = buildLevels(txids, matches);
  const bits: boolean[] = [];
  const hashes: Uint8Array[] = [];
  const visit = (height: number, at: number): void => {
    const node = levels[height]?.[at] as TreeNode;
    bits.push(node.matches);
    if (height === 0 || !node.matches) {
      hashes.push(node.hash);
      return;
    }
    visit(height - 1, at * 2);
    if (levels[height - 1]?.[at * 2 + 1]) visit(height - 1, at * 2 + 1);
  };
  visit(levels.length - 1, 0);
  const writer = new ByteWriter();
  writer.bytes(header);
  writer.u32le(txids.length);
  writer.varint(hashes.length);
  for (const hash of hashes) writer.bytes(hash);
  writer.varBytes(packBits(bits));
  return writer.done();
}

interface TreeNode {
  readonly hash: Uint8Array;
  readonly matches: boolean;
}

function buildLevels(txids: readonly string[], matches: readonly boolean[]): TreeNode[][] {
  let level: TreeNode[] = txids.map((txid, i) => ({ hash: displayToHash(txid), matches: matches[i] === true }));
  const levels = [level];
  while (level.length > 1) {
    const up: TreeNode[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] as TreeNode;
      const right = level[i + 1] ?? left;
      up.push({ hash: hashPair(left.hash, right.hash), matches: left.matches || right.matches });
    }
    levels.push(up);
    level = up;
  }
  return levels;
}

function packBits(bits: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, i) => {
    if (bit) bytes[i >> 3] = (bytes[i >> 3] as number) | (1 << (i & 7));
  });
  return bytes;
}

/**
 * Reads a serialised Merkle block and checks its tree, like the node's `verifytxoutproof` before it looks up the block.
 * @returns `valid: false` without txids if the tree is inconsistent or its root does not match the header.
 * @throws ChainError `proof-malformed` if the bytes cannot be parsed.
 */
export function parseMerkleBlock(bytes: Uint8Array): MerkleBlock {
  const reader = new ByteReader(bytes, 'proof-malformed');
  const header = readHeader(reader);
  const transactionCount = reader.u32le();
  const hashes: Uint8Array[] = [];
  for (let left = reader.count(32); left > 0; left--) hashes.push(reader.bytes(32));
  const flags = reader.varBytes();
  reader.end();
  const tree = walkPartialTree(transactionCount, hashes, flags);
  const valid = tree !== undefined && hashToDisplay(tree.root) === header.merkleRoot;
  return { header, transactionCount, txids: valid ? tree.txids : [], valid };
}

/** Traverses flags and hashes depth first. Returns undefined if they contradict each other or some are left over. */
function walkPartialTree(
  count: number,
  hashes: readonly Uint8Array[],
  flags: Uint8Array,
): { root: Uint8Array; txids: string[] } | undefined {
  // a valid tree cannot have more leaves than its hashes cover, nor fewer flags than hashes
  if (count === 0 || hashes.length > count || flags.length * 8 < hashes.length) return undefined;
  let height = 0;
  while (2 ** height < count) height++;
  const txids: string[] = [];
  let bit = 0;
  let used = 0;
  const visit = (level: number, at: number): Uint8Array | undefined => {
    if (bit >= flags.length * 8) return undefined;
    const parent = (((flags[bit >> 3] as number) >> (bit & 7)) & 1) === 1;
    bit += 1;
    if (level === 0 || !parent) {
      const leaf = hashes[used++];
      if (leaf && level === 0 && parent) txids.push(hashToDisplay(leaf));
      return leaf;
    }
    const left = visit(level - 1, at * 2);
    const hasRight = (at * 2 + 1) * 2 ** (level - 1) < count;
    const right = left && hasRight ? visit(level - 1, at * 2 + 1) : left;
    // two equal siblings would allow one transaction to be proven twice (CVE-2012-2459)
    if (!left || !right || (hasRight && equalBytes(left, right))) return undefined;
    return hashPair(left, right);
  };
  const root = visit(height, 0);
  const consumed = used === hashes.length && Math.ceil(bit / 8) === flags.length;
  return root && consumed ? { root, txids } : undefined;
}
