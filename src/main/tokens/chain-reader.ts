import { ChainError, fromHex, parseTx, type Tx, txidOf } from '../../chain/index.ts';
import { PlanchetError } from '../../contract/index.ts';
import { type NodeRpc, NodeRpcError } from '../ports/node.ts';
import { type BlockPlace, blockOf } from '../transaction-jobs/block-place.ts';

/** Cached transactions: a history reads the same ones repeatedly. */
const KEPT = 2_000;

/** Fetches transactions of the node, checks each against its txid and caches the newest. */
export class ChainReader {
  readonly #rpc: NodeRpc;
  readonly #known = new Map<string, Tx>();

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
    const [oldest] = this.#known.keys();
    if (this.#known.size >= KEPT && oldest !== undefined) this.#known.delete(oldest);
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
    let hex: string;
    try {
      hex = await this.#rpc.call<string>('getrawtransaction', [txid, false]);
    } catch (error) {
      if (error instanceof NodeRpcError) return undefined;
      throw error;
    }
    try {
      const tx = parseTx(fromHex(hex));
      if (txidOf(tx) === txid) return tx;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
    }
    throw new PlanchetError('token.node-transaction-differs', { txid });
  }
}
