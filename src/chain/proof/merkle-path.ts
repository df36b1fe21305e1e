import { displayToHash, equalBytes, hashToDisplay, sha256d } from '../encoding/bytes.ts';
import { ChainError } from '../errors.ts';
import { isTransactionOfNodeLength } from './node-transaction.ts';

/** Levels of the deepest tree: more than any block can hold. */
export const MAX_TREE_HEIGHT = 32;

/** The path from one transaction of a block up to the block's Merkle root. */
export interface MerklePath {
  /** Display-order hex. */
  readonly txid: string;
  /** Index of the transaction in the block; 0 is the coinbase. */
  readonly index: number;
  /** Sibling hashes from the leaf up, internal byte order; null if a hash is the last of its level and paired with itself. */
  readonly siblings: readonly (Uint8Array | null)[];
}

/** One level of a path, for drawing it. */
export interface PathLevel {
  /** The hash on the path from the transaction to the root, display hex. */
  readonly hash: string;
  readonly sibling: string;
  readonly siblingSide: 'left' | 'right';
  /** The sibling repeats the hash, because the level ends here. */
  readonly duplicate: boolean;
}

/**
 * Hashes two nodes of a Merkle tree, internal byte order.
 * @throws ChainError `merkle-invalid` if the two nodes together are a transaction: the tree would have two readings
 */
export function hashNodes(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(64);
  both.set(left);
  both.set(right, 32);
  if (isTransactionOfNodeLength(both)) throw invalid('A node of the path is itself a transaction of 64 bytes.');
  return sha256d(both);
}

/** A path that leads to a root, with null for every repeated hash. */
export interface CheckedPath extends MerklePath {
  /** Display hex. */
  readonly root: string;
}

/**
 * Computes the Merkle root that a path leads to. Refuses every path that no honest tree has:
 * - a hash that follows an equal one, which lets a block show a transaction twice with the same root (CVE-2012-2459);
 * - an index that a path of this length cannot reach;
 * - a node that is a transaction.
 * @throws ChainError `merkle-invalid`
 */
export function checkPath(path: MerklePath): CheckedPath {
  const { siblings, root } = climb(path);
  return { txid: path.txid, index: path.index, siblings, root: hashToDisplay(root) };
}

/** The siblings of a path as a TSC proof (BRC-10) writes them: display hex, `*` for a repeated hash. */
export function tscNodes({ siblings }: Pick<MerklePath, 'siblings'>): string[] {
  return siblings.map((sibling) => (sibling === null ? '*' : hashToDisplay(sibling)));
}

/** Every level of a path, from the leaf up. @throws ChainError `merkle-invalid` as {@link checkPath} */
export function levelsOfPath(path: MerklePath): PathLevel[] {
  const { hashes, siblings } = climb(path);
  return hashes.map((internal, level) => {
    const hash = hashToDisplay(internal);
    const sibling = siblings[level] as Uint8Array | null;
    return {
      hash,
      sibling: sibling === null ? hash : hashToDisplay(sibling),
      siblingSide: Math.floor(path.index / 2 ** level) % 2 === 0 ? 'right' : 'left',
      duplicate: sibling === null,
    };
  });
}

interface Climb {
  /** The hash of each level below the root, the leaf first. */
  readonly hashes: readonly Uint8Array[];
  /** Null for every repeated hash. */
  readonly siblings: readonly (Uint8Array | null)[];
  readonly root: Uint8Array;
}

function climb({ txid, index, siblings: given }: MerklePath): Climb {
  if (given.length > MAX_TREE_HEIGHT) throw invalid('The path is longer than the tree of any block.');
  if (!Number.isSafeInteger(index) || index < 0 || index >= 2 ** given.length)
    throw invalid('The index is beyond what a path of this length can reach.');
  let working = displayToHash(txid);
  const hashes: Uint8Array[] = [];
  const siblings: (Uint8Array | null)[] = [];
  let at = index;
  for (const told of given) {
    const isLeft = at % 2 === 0;
    // the standard lets a proof write a repeated hash out
    const sibling = told === null || equalBytes(told, working) ? null : told;
    if (sibling === null && !isLeft) throw invalid('The path repeats a hash as if it were another.');
    hashes.push(working);
    siblings.push(sibling);
    working = isLeft ? hashNodes(working, sibling ?? working) : hashNodes(sibling as Uint8Array, working);
    at = Math.floor(at / 2);
  }
  return { hashes, siblings, root: working };
}

function invalid(message: string): ChainError {
  return new ChainError('merkle-invalid', message);
}
