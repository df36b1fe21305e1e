import { formatOutpoint, merkleBranch, type Outpoint, toHex, type Utxo } from '../../../chain/index.ts';
import type { Tip } from '../../../contract/index.ts';
import type { ChainTip } from './chainstate/chainstate.ts';
import { COINBASE_MATURITY } from './consensus/consensus.ts';
import { publicTip } from './events.ts';
import type { Ledger } from './ledger.ts';
import type { Mempool } from './mempool/mempool.ts';
import type { NonFinalPool } from './mempool/nonfinal-pool.ts';
import type { OrphanPool } from './mempool/orphan-pool.ts';
import {
  blockByHash,
  blockTxids,
  findSpends,
  findUtxos,
  locateTransaction,
  minedTransaction,
  utxosPaying,
} from './storage/chain-store.ts';
import type { NodeDb } from './storage/tables.ts';
import type { ChainEnd, NodeProof, NodeTransaction, NodeUtxo } from './types.ts';

type Spenders = Map<string, { txid: string; input: number; height: number | null }>;

export class NodeQueries {
  /** Database for RPC commands. */
  readonly db: NodeDb;
  readonly mempool: Mempool;
  /** Transactions waiting for their lock time. */
  readonly nonFinal: NonFinalPool;
  /** Transactions refused for a missing parent that may still arrive. */
  readonly orphans: OrphanPool;
  readonly #ledger: Ledger;

  constructor(parts: { db: NodeDb; mempool: Mempool; nonFinal: NonFinalPool; orphans: OrphanPool; ledger: Ledger }) {
    this.db = parts.db;
    this.mempool = parts.mempool;
    this.nonFinal = parts.nonFinal;
    this.orphans = parts.orphans;
    this.#ledger = parts.ledger;
  }

  /** The newest block; `time` is its header's, in milliseconds. */
  tip(): Tip {
    return publicTip(this.#ledger.tip);
  }

  /** The tip with the context for validating the next block. */
  chainTip(): ChainTip {
    return this.#ledger.tip;
  }

  /** Whether the next block follows the Chronicle rules. */
  get isChronicle(): boolean {
    return this.#ledger.ruleSets.isChronicle(this.#ledger.tip.height + 1);
  }

  /** A transaction of the mempool or the chain. */
  async transaction(txid: string): Promise<NodeTransaction | undefined> {
    const waiting = this.mempool.get(txid);
    const held = waiting ?? this.nonFinal.get(txid);
    if (held) return { raw: held.raw, blockHash: null, blockHeight: null, confirmations: 0 };
    const at = await locateTransaction(this.db, txid);
    if (at === undefined) return undefined;
    return {
      raw: await minedTransaction(this.db, at),
      blockHash: at.block_hash,
      blockHeight: at.height,
      confirmations: this.#ledger.tip.height - at.height + 1,
    };
  }

  /**
   * An unspent output.
   * @param includeMempool true includes outputs of mempool transactions and excludes those they spend.
   */
  async utxo(outpoint: Outpoint, includeMempool: boolean): Promise<NodeUtxo | undefined> {
    const key = formatOutpoint(outpoint);
    if (includeMempool) {
      if (this.mempool.spender(key)) return undefined;
      const waiting = this.mempool.output(outpoint);
      if (waiting) return waiting;
    }
    return (await findUtxos(this.db, [key])).get(key);
  }

  /** What spent these outputs, in the mempool or on the main chain, by `<txid>_<vout>`; `height` is null in the mempool. */
  async spenders(outpoints: readonly string[]): Promise<Spenders> {
    const found: Spenders = await findSpends(this.db, outpoints);
    for (const outpoint of outpoints) {
      const waiting = this.mempool.spender(outpoint);
      if (waiting === undefined) continue;
      const input = waiting.tx.inputs.findIndex((one) => formatOutpoint(one) === outpoint);
      found.set(outpoint, { txid: waiting.txid, input, height: null });
    }
    return found;
  }

  /** Unspent outputs paying a script, confirmed or not, without immature coinbases. */
  async spendable(lockingScript: Uint8Array): Promise<(Utxo & NodeUtxo)[]> {
    const height = this.#ledger.tip.height + 1;
    const confirmed = (await utxosPaying(this.db, lockingScript)).filter((utxo) => isMature(utxo, height));
    const script = Buffer.from(lockingScript);
    const waiting: (Utxo & NodeUtxo)[] = [];
    for (const entry of this.mempool.entries()) {
      const { txid, raw } = entry;
      // most pay other scripts, and a byte search is faster than parsing
      if (!Buffer.from(raw.buffer, raw.byteOffset, raw.length).includes(script)) continue;
      for (const [vout, output] of entry.tx.outputs.entries()) {
        const utxo = script.equals(output.script) ? this.mempool.output({ txid, vout }) : undefined;
        if (utxo) waiting.push({ txid, vout, ...utxo });
      }
    }
    return [...confirmed, ...waiting].filter((utxo) => !this.mempool.spender(formatOutpoint(utxo)));
  }

  /** The ends of all branches, highest first. */
  chainEnds(): ChainEnd[] {
    const { hash, height } = this.#ledger.tip;
    const side = [...this.#ledger.sideBlocks()];
    const parents = new Set(side.map(({ previous_hash }) => previous_hash));
    const ends: ChainEnd[] = [{ height, hash, branchLength: 0, status: 'active' }];
    for (const row of side) {
      if (parents.has(row.hash)) continue;
      const status = this.#ledger.isInvalid(row.hash)
        ? 'invalid'
        : row.validity === 'scripts'
          ? 'valid-fork'
          : 'valid-headers';
      ends.push({
        height: row.height,
        hash: row.hash,
        branchLength: row.height - this.#ledger.forkHeight(row.hash),
        status,
      });
    }
    return ends.sort((a, b) => b.height - a.height || (a.hash < b.hash ? -1 : 1));
  }

  /** Whether a side block or one of its ancestors is invalid. */
  isInvalidBlock(hash: string): boolean {
    return this.#ledger.isInvalid(hash);
  }

  /** The Merkle proof of a mined transaction, against its block's header. */
  async proof(txid: string): Promise<NodeProof | undefined> {
    const at = await locateTransaction(this.db, txid);
    if (at === undefined) return undefined;
    const block = await blockByHash(this.db, at.block_hash);
    if (block === undefined) return undefined;
    const nodes = merkleBranch(await blockTxids(this.db, block.hash), at.position);
    return {
      proof: { index: at.position, txOrId: txid, targetType: 'header', target: toHex(block.header), nodes },
      blockHash: block.hash,
      blockHeight: block.height,
    };
  }
}

function isMature(utxo: NodeUtxo, height: number): boolean {
  return !utxo.coinbase || (utxo.height !== null && height - utxo.height >= COINBASE_MATURITY);
}
