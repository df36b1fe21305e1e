import { LRUCache } from 'lru-cache';
import { parseTx, type Tx, txSize } from '../../chain/index.ts';
import { PlanchetError } from '../../contract/index.ts';
import type { BlockPlace, ChainData } from '../ports/chain-data.ts';

/** Cached transactions, and their bytes: a history reads the same ones repeatedly, and a mint may be 10 MB long. */
const KEPT = 2_000;
const KEPT_BYTES = 64_000_000;

/** Fetches transactions and caches the newest. */
export class ChainReader {
  readonly #chainData: ChainData;
  readonly #known = new LRUCache<string, Tx>({ max: KEPT, maxSize: KEPT_BYTES, sizeCalculation: txSize });

  constructor(chainData: ChainData) {
    this.#chainData = chainData;
  }

  /**
   * @returns undefined where the node does not know the transaction
   * @throws PlanchetError `upstream-*`
   */
  async find(txid: string): Promise<Tx | undefined> {
    const known = this.#known.get(txid);
    if (known) return known;
    const { value: raw } = await this.#chainData.transaction(txid);
    if (raw === undefined) return undefined;
    const tx = parseTx(raw);
    this.#known.set(txid, tx);
    return tx;
  }

  /** @throws PlanchetError `not-found` where the node does not know it */
  async get(txid: string): Promise<Tx> {
    const tx = await this.find(txid);
    if (tx) return tx;
    throw new PlanchetError('token.transaction-unknown', { txid });
  }

  /** The block that holds it, as the chain data says: null while it is unconfirmed, undefined if the transaction is unknown. */
  async block(txid: string): Promise<BlockPlace | null | undefined> {
    return (await this.#chainData.placeOf(txid)).value;
  }
}
