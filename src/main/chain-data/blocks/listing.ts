import { displayToHash, GrowingTree, hashToDisplay, type MerklePath, MerkleTree } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { pause } from '../../pause.ts';
import type { BlockHead, BlockListing } from '../../ports/chain-data.ts';

interface Tree {
  readonly whole: MerkleTree;
  readonly places: ReadonlyMap<string, number>;
}

/** The ids of a block's transactions as somebody tells them. */
export class Listing implements BlockListing {
  readonly txids: readonly string[];
  readonly #block: Pick<BlockHead, 'hash' | 'merkleRoot'>;
  #tree: Tree | undefined;

  constructor(block: Pick<BlockHead, 'hash' | 'merkleRoot'>, txids: readonly string[]) {
    this.#block = block;
    this.txids = txids;
  }

  check(): void {
    this.#checked();
  }

  path(txid: string): MerklePath {
    const { whole, places } = this.#checked();
    const index = places.get(txid);
    if (index === undefined) throw this.#differs();
    return whole.path(index);
  }

  #checked(): Tree {
    this.#tree ??= { whole: new MerkleTree(this.txids), places: new Map(this.txids.map((id, index) => [id, index])) };
    if (this.#tree.whole.root !== this.#block.merkleRoot) throw this.#differs();
    return this.#tree;
  }

  #differs(): PlanchetError {
    return new PlanchetError('chain.list-differs', { hash: this.#block.hash });
  }
}

/** Whether ids are all that a Merkle root commits to, and none of them twice. */
export async function leadsTo(merkleRoot: string, txids: readonly string[]): Promise<boolean> {
  const tree = new GrowingTree();
  for (const txid of txids) {
    tree.add(displayToHash(txid));
    await pause();
  }
  const root = tree.root();
  return root !== undefined && !tree.repeats && hashToDisplay(root) === merkleRoot;
}
