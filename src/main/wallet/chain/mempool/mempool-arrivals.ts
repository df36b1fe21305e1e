import { formatOutpoint, ownerKeyHash, toHex } from '../../../../chain/index.ts';
import type { CoinStore } from '../../coins/storage/coin-store.ts';
import type { KeySource } from '../../keys/key-source.ts';
import { readable, type Unconfirmed } from './unconfirmed-checks.ts';

/** Bounds of what is held from one pass to the next: outpoints, and bytes of transactions that touch the wallet. The rest is read from the node. */
const MOST_OUTPOINTS = 200_000;
const MOST_BYTES = 4_000_000;

/** A transaction that came since the last pass. */
export interface Arrival {
  /** When it came, in milliseconds since 1970. */
  readonly at: number;
  /** What it spends: `<txid>_<vout>`. */
  readonly outpoints: readonly string[];
  /** Left out where it does not touch the wallet, as far as that was known when it came. */
  readonly whole: Unconfirmed | undefined;
}

/** Transactions that the node announces between two passes. Of those that do not touch the wallet, only their inputs are held. */
export class MempoolArrivals {
  readonly #keys: KeySource;
  readonly #coinStore: CoinStore;
  readonly #held = new Map<string, Arrival>();
  #outpoints = 0;
  #bytes = 0;
  #hashes: { readonly count: number; readonly last: string | undefined; readonly all: ReadonlySet<string> } | undefined;

  constructor(keys: KeySource, coinStore: CoinStore) {
    this.#keys = keys;
    this.#coinStore = coinStore;
  }

  /** @returns whether a pass is due: it touches the wallet, or much is held */
  add(txid: string, raw: Uint8Array, at: number): boolean {
    if (this.#keys.state !== 'ready' || this.#held.has(txid)) return false;
    if (this.#outpoints >= MOST_OUTPOINTS || this.#bytes >= MOST_BYTES) return true;
    const one = readable(txid, raw);
    if (one === undefined) return false;
    const touches = this.#touches(one);
    if (touches) this.#bytes += raw.length;
    const outpoints = one.tx.inputs.map(formatOutpoint);
    this.#outpoints += outpoints.length;
    this.#held.set(txid, { at, outpoints, whole: touches ? one : undefined });
    return touches;
  }

  get all(): ReadonlyMap<string, Arrival> {
    return this.#held;
  }

  /** Forgets what a pass dealt with. */
  drop(txids: Iterable<string>): void {
    for (const txid of txids) {
      const arrival = this.#held.get(txid);
      this.#outpoints -= arrival?.outpoints.length ?? 0;
      this.#bytes -= arrival?.whole?.raw.length ?? 0;
      this.#held.delete(txid);
    }
  }

  #touches({ tx }: Unconfirmed): boolean {
    const hashes = this.#pubKeyHashes();
    for (const { script } of tx.outputs) {
      const hash = ownerKeyHash(script);
      if (hash !== undefined && hashes.has(toHex(hash))) return true;
    }
    // a payment that came before it is no coin yet
    return tx.inputs.some(
      (input) => this.#held.get(input.txid)?.whole !== undefined || this.#coinStore.coins.has(formatOutpoint(input)),
    );
  }

  #pubKeyHashes(): ReadonlySet<string> {
    const keys = this.#keys.all;
    const last = keys.at(-1)?.pubKeyHash;
    if (this.#hashes?.count !== keys.length || this.#hashes.last !== last)
      this.#hashes = { count: keys.length, last, all: new Set(keys.map(({ pubKeyHash }) => pubKeyHash)) };
    return this.#hashes.all;
  }
}
