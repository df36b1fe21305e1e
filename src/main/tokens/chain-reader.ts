import { ChainError, fromHex, parseTx, type Tx, txidOf } from '../../chain/index.ts';
import { PlanchetError } from '../../contract/index.ts';
import { type NodeRpc, NodeRpcError } from '../ports/node.ts';

/** Cached transactions: a history reads the same ones repeatedly. */
const KEPT = 2_000;

export interface BlockPlace {
  readonly hash: string;
  readonly height: number;
}

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

  /**
   * The block of the main chain that holds a transaction: null while none does, undefined where the node does not know the transaction.
   * @throws PlanchetError `upstream-*`
   */
  async block(txid: string): Promise<BlockPlace | null | undefined> {
    try {
      const tx = await this.#rpc.call<{ blockhash?: string }>('getrawtransaction', [txid, true]);
      return tx.blockhash ? ((await this.mainBlock(tx.blockhash)) ?? null) : null;
    } catch (error) {
      if (error instanceof NodeRpcError) return undefined;
      throw error;
    }
  }

  /** A block's place in the main chain; undefined where it is not, or no longer, part of it. @throws PlanchetError `upstream-*` */
  async mainBlock(hash: string): Promise<BlockPlace | undefined> {
    try {
      const { height } = await this.#rpc.call<{ height: number }>('getblockheader', [hash, true]);
      // Some nodes count confirmations for the blocks of dead branches too: only the hash at its height shows where a block is.
      const main = await this.#rpc.call<string>('getblockhash', [height]);
      return main === hash ? { hash, height } : undefined;
    } catch (error) {
      if (error instanceof NodeRpcError) return undefined;
      throw error;
    }
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
