import {
  bumpOfPath,
  ChainError,
  decodeAddress,
  displayToHash,
  formatOutpoint,
  type Outpoint,
  p2pkhScript,
  parseTx,
  reverseHex,
  type Satoshis,
  sha256,
  toHex,
} from '../../../chain/index.ts';
import type { ProofTrees } from '../merchant/proof-trees.ts';
import type { SandboxNode } from '../node/node.ts';
import { blockByHash, blockTxids, locateTransaction } from '../node/storage/chain-store.ts';
import type { SandboxParts } from '../parts.ts';
import { PublicError } from './answers.ts';
import { type MinedTouch, ScriptHistory } from './script-history.ts';

export interface PublicServiceOptions extends Pick<SandboxParts, 'faults' | 'submit'> {
  readonly index: PublicIndex;
}

export interface Touches {
  /** Oldest first. */
  readonly confirmed: readonly MinedTouch[];
  /** Ids of transactions of the mempool. */
  readonly unconfirmed: readonly string[];
}

export interface IndexedProof {
  readonly txid: string;
  readonly position: number;
  readonly blockHash: string;
  readonly height: number;
  /** Display-order hex from the leaf up, `*` for a node that is paired with itself. */
  readonly nodes: readonly string[];
  /** The same as BRC-74. */
  bump(): Uint8Array;
}

export interface IndexedOutput extends Outpoint {
  readonly satoshis: Satoshis;
  /** Null while it is not mined. */
  readonly height: number | null;
  readonly spentInMempool: boolean;
}

/** Indexes that public services have and a node does not: histories of scripts, spends of outputs, proofs of all mined transactions. */
export class PublicIndex {
  readonly node: SandboxNode;
  readonly #trees: ProofTrees;
  readonly #history: ScriptHistory;

  constructor(node: SandboxNode, trees: ProofTrees) {
    this.node = node;
    this.#trees = trees;
    this.#history = new ScriptHistory(node);
  }

  /** The SHA-256 of an address's locking script, hex. @throws PublicError 400 */
  scriptOfAddress(address: string): string {
    return toHex(sha256(p2pkhScript(keyHashOf(address))));
  }

  /** @param script SHA-256 of a locking script; clients write it in either order of its bytes */
  async touches(script: string): Promise<Touches> {
    for (const hash of [script, reverseHex(script)]) {
      const confirmed = await this.#history.mined(hash);
      const unconfirmed = await this.#history.waiting(hash);
      if (confirmed.length + unconfirmed.length > 0) return { confirmed, unconfirmed };
    }
    return { confirmed: [], unconfirmed: [] };
  }

  /** The outputs with a script that no mined transaction spends. */
  async unspent(script: string): Promise<IndexedOutput[]> {
    const { confirmed, unconfirmed } = await this.touches(script);
    const found: IndexedOutput[] = [];
    const touched = [
      ...confirmed.map((one) => ({ txid: one.txid, height: one.height as number | null })),
      ...unconfirmed.map((txid) => ({ txid, height: null })),
    ];
    for (const { txid, height } of touched) {
      const raw = (await this.node.transaction(txid))?.raw;
      if (raw === undefined) continue;
      for (const [vout, output] of parseTx(raw, true).outputs.entries()) {
        const hash = toHex(sha256(output.script));
        if (hash !== script && hash !== reverseHex(script)) continue;
        const spend = await this.spend({ txid, vout });
        if (spend === undefined || (spend !== 'unspent' && spend.height !== null)) continue;
        found.push({ txid, vout, satoshis: output.satoshis, height, spentInMempool: spend !== 'unspent' });
      }
    }
    return found;
  }

  /**
   * Outputs of addresses with any script that one of their keys owns; the score of one is the height of its block, or above all of them.
   * @throws PublicError 400
   */
  async owned(addresses: readonly string[]): Promise<(Outpoint & { readonly score: number })[]> {
    const keys = new Set(addresses.map((address) => toHex(keyHashOf(address))));
    return this.#history.owned(keys);
  }

  /** What spends an output, mined or not; undefined for an output that never existed. */
  async spend(
    outpoint: Outpoint,
  ): Promise<{ txid: string; input: number; height: number | null } | 'unspent' | undefined> {
    const raw = (await this.node.transaction(outpoint.txid))?.raw;
    if (raw === undefined || parseTx(raw, true).outputs[outpoint.vout] === undefined) return undefined;
    const key = formatOutpoint(outpoint);
    return (await this.node.spenders([key])).get(key) ?? 'unspent';
  }

  /** What spends these outputs, by outpoint. */
  spends(outpoints: readonly Outpoint[]): ReturnType<SandboxNode['spenders']> {
    return this.node.spenders(outpoints.map(formatOutpoint));
  }

  /** A block with the ids of its transactions; undefined for an unknown one. */
  async block(hash: string): Promise<{ height: number; txids: string[] } | undefined> {
    const { db } = this.node;
    const row = await blockByHash(db, hash);
    return row && { height: row.height, txids: await blockTxids(db, hash) };
  }

  /** @returns undefined if it is not mined */
  async proof(txid: string): Promise<IndexedProof | undefined> {
    const { db } = this.node;
    const at = await locateTransaction(db, txid);
    if (at === undefined) return undefined;
    const { position, block_hash: blockHash, height } = at;
    const nodes = await this.#trees.branch(blockHash, position, () => blockTxids(db, blockHash));
    return proofOf({ txid, position, blockHash, height, nodes });
  }
}

/** A proof in both forms. */
export function proofOf(parts: Omit<IndexedProof, 'bump'>): IndexedProof {
  const { txid, position, height, nodes } = parts;
  const siblings = nodes.map((hash) => (hash === '*' ? null : displayToHash(hash)));
  return { ...parts, bump: () => bumpOfPath(height, { txid, index: position, siblings }) };
}

/** @throws PublicError 400 */
function keyHashOf(address: string): Uint8Array {
  try {
    const { network, pubKeyHash } = decodeAddress(address);
    if (network === 'test') return pubKeyHash;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
  throw new PublicError(400, 'invalid address');
}
