import { levelUp } from '../block/merkle.ts';
import { displayToHash, hashToDisplay } from '../encoding/bytes.ts';
import type { MerklePath } from './merkle-path.ts';

/** All levels of a block's Merkle tree, so that the branch of every transaction costs no more than its length. */
export class MerkleTree {
  readonly #levels: Uint8Array[][];

  /** @param txids of the complete block in order, display hex */
  constructor(txids: readonly string[]) {
    let level = txids.map(displayToHash);
    this.#levels = [level];
    while (level.length > 1) {
      level = levelUp(level);
      this.#levels.push(level);
    }
  }

  get root(): string {
    return hashToDisplay(this.#levels.at(-1)?.[0] as Uint8Array);
  }

  /** Sibling hashes from the leaf up, `*` if the last node of a level is paired with itself. */
  branch(index: number): string[] {
    return this.#levels.slice(0, -1).map((level, height) => {
      const sibling = level[(index >> height) ^ 1];
      return sibling === undefined ? '*' : hashToDisplay(sibling);
    });
  }

  /** The path from a transaction to the root. */
  path(index: number): MerklePath {
    const txid = hashToDisplay(this.#levels[0]?.[index] as Uint8Array);
    const siblings = this.#levels.slice(0, -1).map((level, height) => level[(index >> height) ^ 1] ?? null);
    return { txid, index, siblings };
  }
}
