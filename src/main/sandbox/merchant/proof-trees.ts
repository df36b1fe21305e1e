import { displayToHash, hashPair, hashToDisplay } from '../../../chain/index.ts';
import { pause } from '../../pause.ts';

const KEPT = 4;

/** Cache of the Merkle trees of recently requested blocks: proofs of a block are requested one by one, but its tree is hashed once. */
export class ProofTrees {
  readonly #trees = new Map<string, Uint8Array[][]>();

  /**
   * Sibling hashes from the leaf up, `*` for a node that is paired with itself.
   * @param txidsOf called if the block's tree is not cached
   */
  async branch(blockHash: string, index: number, txidsOf: () => Promise<readonly string[]>): Promise<string[]> {
    const levels = this.#trees.get(blockHash) ?? (await this.#build(blockHash, await txidsOf()));
    return levels.slice(0, -1).map((level, depth) => {
      const sibling = level[(index >>> depth) ^ 1];
      return sibling === undefined ? '*' : hashToDisplay(sibling);
    });
  }

  async #build(blockHash: string, txids: readonly string[]): Promise<Uint8Array[][]> {
    let level = txids.map(displayToHash);
    const levels = [level];
    while (level.length > 1) {
      const up: Uint8Array[] = [];
      for (let at = 0; at < level.length; at += 2) {
        const left = level[at] as Uint8Array;
        up.push(hashPair(left, level[at + 1] ?? left));
        if (at % 512 === 0) await pause();
      }
      level = up;
      levels.push(level);
    }
    this.#trees.set(blockHash, levels);
    const [oldest] = this.#trees.keys();
    if (this.#trees.size > KEPT && oldest !== undefined) this.#trees.delete(oldest);
    return levels;
  }
}
