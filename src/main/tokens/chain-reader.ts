import { LRUCache } from 'lru-cache';
import { ChainError, parseTx, type Tx, txidOf, txSize } from '../../chain/index.ts';
import { PlanchetError } from '../../contract/index.ts';
import { isNotKnown, type NodeRpc } from '../ports/node.ts';
import { type BlockPlace, blockOf } from '../transaction-jobs/block-place.ts';
import { nodeError } from '../transaction-jobs/node-error.ts';
import { rawTransaction } from '../transaction-jobs/raw-bytes.ts';

/** Cached transactions, and their bytes: a history reads the same ones repeatedly, and a mint may be 10 MB long. */
const KEPT = 2_000;
const KEPT_BYTES = 64_000_000;

/** Fetches transactions of the node, checks each against its txid and caches the newest. */
export class ChainReader {
  readonly #rpc: NodeRpc;
  readonly #known = new LRUCache<string, Tx>({ max: KEPT, maxSize: KEPT_BYTES, sizeCalculation: txSize });

  constructor(rpc: NodeRpc) {
    this.#rpc = rpc;
  }

  /**
   * @returns undefined where the node does not know the transaction
   * @throws PlanchetError `upstream-*`
   */
  async find(txid: string): Promise<Tx | undefined> {
    const known = this.#known.get(txid);
    if (known) return known;
    const tx = await this.#fetch(txid);
    if (tx === undefined) return undefined;
    this.#known.set(txid, tx);
    return tx;
  }

  /** @throws PlanchetError `not-found` where the node does not know it */
  async get(txid: string): Promise<Tx> {
    const tx = await this.find(txid);
    if (tx) return tx;
    throw new PlanchetError('token.transaction-unknown', { txid });
  }

  /** See {@link blockOf}. */
  block(txid: string): Promise<BlockPlace | null | undefined> {
    return blockOf(this.#rpc, txid);
  }

  async #fetch(txid: string): Promise<Tx | undefined> {
    try {
      const tx = parseTx(await rawTransaction(this.#rpc, txid));
      if (txidOf(tx) === txid) return tx;
    } catch (error) {
      if (isNotKnown(error)) return undefined;
      if (!(error instanceof ChainError)) throw nodeError(error);
    }
    throw new PlanchetError('token.node-transaction-differs', { txid });
  }
}
