import { PlanchetError } from '../../contract/index.ts';
import { Sequencer } from '../async/sequencer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { keysText, searchAgain, searchedForAll } from './chain/followed-keys.ts';
import { CoinStore } from './coins/storage/coin-store.ts';
import { highestPaid } from './coins/storage/used-keys.ts';
import { issue, lastIssued } from './keys/issued-addresses.ts';
import type { KeySource } from './keys/key-source.ts';
import type { WalletTables } from './tables.ts';

export interface OpenCoinStoreOptions {
  store: Pick<Store<WalletTables>, 'db'>;
  /** Names the rows in the store. */
  scope: string;
  keys: KeySource;
  clock: Pick<Clock, 'now'>;
}

/**
 * The coin store of a wallet whose keys are locked and unlocked: it is read from the store when they are there, and closed before another
 * one is read. Readings and changes happen one after the other, so that no coin store misses what was changed through the one before.
 */
export class OpenCoinStore {
  readonly #options: OpenCoinStoreOptions;
  #coinStore: CoinStore | undefined;
  readonly #changes = new Sequencer();

  constructor(options: OpenCoinStoreOptions) {
    this.#options = options;
  }

  /** Undefined while the keys are missing or locked, or the coins are being read. */
  get current(): CoinStore | undefined {
    return this.#coinStore;
  }

  /** @throws PlanchetError `wallet-missing` | `vault-locked` | `not-running` while the coins are being read */
  require(): CoinStore {
    const { key } = this.#options.keys;
    if (this.#coinStore?.state.owner === key.pubKeyHash) return this.#coinStore;
    throw new PlanchetError('wallet.not-ready');
  }

  /** Changes the coins, once they are read. @throws PlanchetError `wallet-missing` | `vault-locked`; what the job throws */
  change<T>(job: (coinStore: CoinStore) => Promise<T>): Promise<T> {
    return this.#changes.run(() => job(this.require()));
  }

  /**
   * Changes what is stored of the coins, also while the wallet is locked.
   * @throws PlanchetError `wallet-missing` | `vault-locked` where nothing is stored; what the job throws
   */
  changeStored<T>(job: (coinStore: CoinStore) => Promise<T>): Promise<T> {
    return this.#changes.run(async () => {
      const { store, scope } = this.#options;
      return job(this.#coinStore ?? (await CoinStore.stored(store.db, scope)) ?? this.require());
    });
  }

  /** Releases what an owner holds, also while the wallet is locked. @throws PlanchetError `disk-full` | `store-failed` */
  release(owner: string): Promise<void> {
    return this.#changes.run(async () => {
      const coinStore = this.#coinStore;
      if (!coinStore) return CoinStore.release(this.#options.store.db, this.#options.scope, owner);
      return coinStore.change((edit) => {
        for (const [outpoint, holder] of coinStore.owners) if (holder === owner) edit.release(outpoint);
      });
    });
  }

  /** Reads the coins of keys that are new. @throws PlanchetError `store-failed`, `disk-full`, `upstream-*` */
  load(): Promise<void> {
    return this.#changes.run(() => this.#load());
  }

  /** Reads the keys again, and the coins unless they are those of the same keys. @throws PlanchetError as {@link load}, `vault-damaged` */
  reload(): Promise<void> {
    return this.#changes.run(async () => {
      const { keys } = this.#options;
      const before = keys.state === 'ready' ? keys.key : undefined;
      keys.reload();
      // No wait where nothing is fetched: the old coin store must change nothing with the new keys.
      if (keys.prepare) await keys.prepare(0);
      // Unlocking a wallet that is open changes nothing.
      if (this.#coinStore && keys.state === 'ready' && keys.key === before) return;
      await this.#load();
    });
  }

  async #load(): Promise<void> {
    const { store, scope, keys, clock } = this.#options;
    const before = this.#coinStore;
    this.#coinStore = undefined;
    await before?.close();
    if (keys.state !== 'ready') return;
    const { pubKeyHash: owner, index: keyIndex } = keys.key;
    const { restoredTo = 0 } = keys;
    const issued = await lastIssued(store.db, scope, owner);
    if (restoredTo > issued) await issue(store.db, scope, owner, restoredTo);
    await this.#followFurther(Math.max(restoredTo, issued));
    const fresh = { owner, keyIndex, keys: keysText(keys.all), birthHeight: null, searchedTo: null };
    const coinStore = await CoinStore.load(store.db, scope, fresh);
    await this.#followFurther(highestPaid(coinStore.used));
    if (!searchedForAll(coinStore.state.keys, keys.all)) await searchAgain(coinStore, keys.all, clock.now());
    this.#coinStore = coinStore;
  }

  async #followFurther(index: number): Promise<void> {
    const { keys } = this.#options;
    await keys.prepare?.(index);
    keys.followBehind(index);
  }
}
