import { bumpOfPath, displayToHash, toHex } from '../../../chain/index.ts';
import type { ProofTrees } from '../merchant/proof-trees.ts';
import type { SandboxNode } from '../node/node.ts';
import { blockTxids, locateTransaction } from '../node/storage/chain-store.ts';
import type { ArcTransaction } from './statuses.ts';

/** Merkle proofs in the form that ARC sends (BUMP, BRC-74). */
export class MerklePaths {
  readonly #node: SandboxNode;
  readonly #trees: ProofTrees;

  constructor(node: SandboxNode, trees: ProofTrees) {
    this.#node = node;
    this.#trees = trees;
  }

  /** @returns hex; empty if the transaction is not mined or no longer in that block */
  async of({ txid, status, blockHash, blockHeight }: ArcTransaction): Promise<string> {
    if (status !== 'MINED') return '';
    const { db } = this.#node;
    const at = await locateTransaction(db, txid);
    if (at?.block_hash !== blockHash) return '';
    const branch = await this.#trees.branch(blockHash, at.position, () => blockTxids(db, blockHash));
    const siblings = branch.map((hash) => (hash === '*' ? null : displayToHash(hash)));
    return toHex(bumpOfPath(blockHeight, { txid, index: at.position, siblings }));
  }
}
