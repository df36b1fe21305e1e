import { PlanchetError } from '../../contract/index.ts';
import { Sequencer } from '../async/sequencer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { keysText, searchAgain, searchedForAll } from './chain/followed-keys.ts';
import { CoinBook } from './coins/coin-book.ts';
import { highestPaid } from './coins/used-keys.ts';
import { issue, lastIssued } from './keys/issued-addresses.ts';
import type { KeySource } from './keys/key-source.ts';
import type { WalletTables } from './tables.ts';

export interface OpenBookOptions {
  store: Pick<Store<WalletTables>, 'db'>;
  /** Names the rows in the store. */
  scope: string;
  keys: KeySource;
  clock: Pick<Clock, 'now'>;
}

/**
 * The coin book of a wallet whose keys are locked and unlocked: it is read from the store when they are there, and closed before another
 * one is read. Readings and changes happen one after the other, so that no book misses what was changed through the one before.
 */
export class OpenBook {
  readonly #options: OpenBookOptions;
  #book: CoinBook | undefined;
  readonly #changes = new Sequencer();

  constructor(options: OpenBookOptions) {
    this.#options = options;
  }

  /** Undefined while the keys are missing or locked, or the coins are being read. */
  get current(): CoinBook | undefined {
    return this.#book;
  }

  /** @throws PlanchetError `wallet-missing` | `vault-locked` | `not-running` while the coins are being read */
  require(): CoinBook {
    const { key } = this.#options.keys;
    if (this.#book?.state.owner === key.pubKeyHash) return this.#book;
    throw new PlanchetError('wallet.not-ready');
  }

  /** Changes the coins, once they are read. @throws PlanchetError `wallet-missing` | `vault-locked`; what the job throws */
  change<T>(job: (book: CoinBook) => Promise<T>): Promise<T> {
    return this.#changes.run(() => job(this.require()));
  }

  /**
   * Changes what is stored of the coins, also while the wallet is locked.
   * @throws PlanchetError `wallet-missing` | `vault-locked` where nothing is stored; what the job throws
   */
  changeStored<T>(job: (book: CoinBook) => Promise<T>): Promise<T> {
    return this.#changes.run(async () => {
      const { store, scope } = this.#options;
      return job(this.#book ?? (await CoinBook.stored(store.db, scope)) ?? this.require());
    });
  }

  /** Releases what an owner holds, also while the wallet is locked. @throws PlanchetError `disk-full` | `store-failed` */
  release(owner: string): Promise<void> {
    return this.#changes.run(async () => {
      const book = this.#book;
      if (!book) return CoinBook.release(this.#options.store.db, this.#options.scope, owner);
      return book.change((edit) => {
        for (const [outpoint, holder] of book.owners) if (holder === owner) edit.release(outpoint);
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
      // No wait where nothing is fetched: the old book must change nothing with the new keys.
      if (keys.prepare) await keys.prepare(0);
      // Whoever unlocks an open wallet changes nothing.
      if (this.#book && keys.state === 'ready' && keys.key === before) return;
      await this.#load();
    });
  }

  async #load(): Promise<void> {
    const { store, scope, keys, clock } = this.#options;
    const before = this.#book;
    this.#book = undefined;
    await before?.close();
    if (keys.state !== 'ready') return;
    const { pubKeyHash: owner, index: keyIndex } = keys.key;
    if (keys.restoredTo > 0) await issue(store.db, scope, owner, keys.restoredTo);
    await this.#followFurther(await lastIssued(store.db, scope, owner));
    const fresh = { owner, keyIndex, keys: keysText(keys.all), birthHeight: null, searchedTo: null };
    const book = await CoinBook.load(store.db, scope, fresh);
    await this.#followFurther(highestPaid(book.used));
    if (!searchedForAll(book.state.keys, keys.all)) await searchAgain(book, keys.all, clock.now());
    this.#book = book;
  }

  async #followFurther(index: number): Promise<void> {
    const { keys } = this.#options;
    await keys.prepare?.(index);
    keys.followBehind(index);
  }
}
