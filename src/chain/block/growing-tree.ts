import { equalBytes } from '../encoding/bytes.ts';
import type { MerklePath } from '../proof/merkle-path.ts';
import { hashPair } from './merkle.ts';

type Siblings = (Uint8Array | null)[];

interface Node {
  readonly hash: Uint8Array;
  /** Of the leaves below whose path is wanted. */
  readonly paths: readonly Siblings[];
}

const NO_PATHS: readonly Siblings[] = [];

/** The Merkle tree of transactions that arrive one by one. It stores one node per level, and the requested paths. */
export class GrowingTree {
  /** By level: the left node that has no right one yet. */
  readonly #open: (Node | undefined)[] = [];
  #leaves = 0;
  /**
   * Whether a node has the same hash as the one on its right. No honest tree has that, but the transactions at the end of a block can be
   * repeated without changing the root, since an odd node is paired with itself (CVE-2012-2459).
   */
  repeats = false;

  /** @param txid of the leaf in display order, if its path is wanted: complete once {@link root} was called */
  add(leaf: Uint8Array, txid?: string): MerklePath | undefined {
    const path = txid === undefined ? undefined : { txid, index: this.#leaves, siblings: [] };
    let node: Node = { hash: leaf, paths: path === undefined ? NO_PATHS : [path.siblings] };
    this.#leaves += 1;
    let level = 0;
    for (let left = this.#open[level]; left !== undefined; left = this.#open[level]) {
      node = this.#joined(left, node);
      this.#open[level] = undefined;
      level += 1;
    }
    this.#open[level] = node;
    return path;
  }

  /** Ends the tree: no leaf can follow. @returns undefined if there was none */
  root(): Uint8Array | undefined {
    const top = this.#open.length - 1;
    let last: Node | undefined;
    for (const [level, left] of this.#open.entries()) {
      if (left === undefined) last = last && doubled(last);
      else if (last !== undefined) last = this.#joined(left, last);
      else last = level === top ? left : doubled(left);
    }
    return last?.hash;
  }

  #joined(left: Node, right: Node): Node {
    if (equalBytes(left.hash, right.hash)) this.repeats = true;
    for (const path of left.paths) path.push(right.hash);
    for (const path of right.paths) path.push(left.hash);
    const paths = left.paths.length === 0 ? right.paths : [...left.paths, ...right.paths];
    return { hash: hashPair(left.hash, right.hash), paths };
  }
}

/** The node above one without a right neighbour, which is paired with itself. */
function doubled({ hash, paths }: Node): Node {
  for (const path of paths) path.push(null);
  return { hash: hashPair(hash, hash), paths };
}
