import { equalBytes, hashToDisplay, plainBytes, sha256d } from '../encoding/bytes.ts';
import { ByteReader } from '../encoding/reader.ts';
import type { Steps } from '../encoding/steps.ts';
import { ChainError } from '../errors.ts';
import { isCoinbase, readTx, type Tx } from '../transaction/transaction.ts';
import { type Block, readHeader, SMALLEST_TX } from './block.ts';
import { hashPair } from './merkle.ts';

/** Bytes that are read between two steps. */
const STEP_BYTES = 1_000_000;

/** The Merkle root of transactions that arrive one after the other, with one hash kept for each level of the tree. */
class GrowingTree {
  /** By level: the left node that has no right one yet. */
  readonly #open: (Uint8Array | undefined)[] = [];
  /**
   * Whether a node has the same hash as the one on its right. No honest tree has that, but the transactions at the end of a block can be
   * repeated without changing the root, since an odd node is paired with itself (CVE-2012-2459).
   */
  repeats = false;

  add(leaf: Uint8Array): void {
    let node = leaf;
    let level = 0;
    for (let left = this.#open[level]; left !== undefined; left = this.#open[level]) {
      node = this.#joined(left, node);
      this.#open[level] = undefined;
      level += 1;
    }
    this.#open[level] = node;
  }

  /** Undefined before the first leaf. */
  root(): Uint8Array | undefined {
    const top = this.#open.length - 1;
    let last: Uint8Array | undefined;
    for (const [level, left] of this.#open.entries()) {
      if (left === undefined) last = last && hashPair(last, last);
      else if (last !== undefined) last = this.#joined(left, last);
      else last = level === top ? left : hashPair(left, left);
    }
    return last;
  }

  #joined(left: Uint8Array, right: Uint8Array): Uint8Array {
    if (equalBytes(left, right)) this.repeats = true;
    return hashPair(left, right);
  }
}

/**
 * Reads one complete block and checks that it holds the transactions that its header commits to, all of them and no other. The work of the
 * header is not looked at. Scripts are views of `bytes`, which must not be modified.
 * @returns in steps, since a block may have gigabytes
 * @throws ChainError `block-malformed` as `parseBlock`; `merkle-invalid` where the transactions are not those of the header
 */
export function* readCheckedBlock(bytes: Uint8Array): Steps<Block> {
  const plain = plainBytes(bytes);
  const reader = new ByteReader(plain, 'block-malformed', true);
  const header = readHeader(reader);
  const transactions: Tx[] = [];
  const tree = new GrowingTree();
  let stepEnd = STEP_BYTES;
  for (let left = reader.count(SMALLEST_TX); left > 0; left--) {
    const from = reader.position;
    const tx = readTx(reader);
    // Two hashes of a level of the tree can be passed off as a transaction of 64 bytes. The first one of its level never can be new money.
    if (isCoinbase(tx) !== (transactions.length === 0))
      throw new ChainError('merkle-invalid', 'New money is not in the first transaction alone.');
    transactions.push(tx);
    tree.add(sha256d(plain.subarray(from, reader.position)));
    if (reader.position < stepEnd) continue;
    stepEnd = reader.position + STEP_BYTES;
    yield '';
  }
  reader.end();
  const root = tree.root();
  if (tree.repeats) throw new ChainError('merkle-invalid', 'The block repeats transactions.');
  if (root === undefined || hashToDisplay(root) !== header.merkleRoot)
    throw new ChainError('merkle-invalid', 'The transactions do not lead to the Merkle root of the header.');
  return { header, transactions };
}
