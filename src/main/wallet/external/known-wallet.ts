import type { Logger } from 'pino';
import { type ExternalWalletKey, type Network, PlanchetError } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Notices } from '../../ports/infrastructure/notices.ts';
import type { Store } from '../../ports/store.ts';
import type { WalletTables } from '../tables.ts';

export interface KnownWalletOptions {
  network: Network;
  store: Pick<Store<WalletTables>, 'db'>;
  clock: Pick<Clock, 'now'>;
  notices: Pick<Notices, 'add' | 'dismiss'>;
  logger: Logger;
  /** Where the wallet listens. */
  url: string;
}

const NOTICE = 'wallet-external-changed';

/**
 * Whose keys the wallet outside this process has. The identity key of its first answer is remembered; another one is refused until a
 * person accepts it: whoever listens at its address while it is closed would give Planchet addresses of their own.
 */
export class KnownWallet {
  readonly #options: KnownWalletOptions;
  #known: { identityKey: string; since: number } | undefined;
  #refused: string | undefined;

  private constructor(options: KnownWalletOptions) {
    this.#options = options;
  }

  /** @throws PlanchetError `store-failed` */
  static async open(options: KnownWalletOptions): Promise<KnownWallet> {
    const wallet = new KnownWallet(options);
    const { network, store } = options;
    const rows = store.db.selectFrom('wallet_external').selectAll().where('network', '=', network);
    const row = await rows.executeTakeFirst();
    if (row !== undefined) wallet.#known = { identityKey: row.identity_key, since: Number(row.since) };
    return wallet;
  }

  /** Undefined before the first answer. */
  get identityKey(): string | undefined {
    return this.#known?.identityKey;
  }

  /** Why the wallet that answered last is not used. */
  get refusal(): PlanchetError | undefined {
    const known = this.#known;
    const offered = this.#refused;
    if (known === undefined || offered === undefined) return undefined;
    const { url } = this.#options;
    const knownSince = new Date(known.since).toISOString();
    const detail = { url, knownKey: known.identityKey, knownSince, offeredKey: offered };
    return new PlanchetError('wallet.external-changed', { url, key: offered }, { detail });
  }

  /**
   * Holds the wallet that answers against the one that is known. What is learned is on the disk before this returns.
   * @param identityKey 66 hex digits, of which the wallet proved that it has the private key
   * @throws PlanchetError `conflict` for another one
   */
  async check(identityKey: string): Promise<void> {
    if (this.#known === undefined) {
      await this.#remember(identityKey);
      this.#options.logger.info({ identityKey }, 'the wallet that signs is remembered');
    }
    const before = this.#refused;
    this.#refused = this.#known?.identityKey === identityKey ? undefined : identityKey;
    const refused = this.refusal;
    if (this.#refused !== before) this.#tell(refused);
    if (refused !== undefined) throw refused;
  }

  /** Once for each wallet that is refused: a person may have dismissed it. */
  #tell(refused: PlanchetError | undefined): void {
    const { notices } = this.#options;
    if (refused === undefined) notices.dismiss(NOTICE);
    else notices.add({ id: NOTICE, level: 'error', failure: refused.toFailure() });
  }

  /** Puts another key in place of the known one. The caller names the key, so nothing is accepted unseen. */
  async accept(identityKey: string): Promise<void> {
    const from = this.#known?.identityKey;
    await this.#remember(identityKey);
    this.#refused = undefined;
    this.#tell(undefined);
    this.#options.logger.warn({ from, to: identityKey }, 'another wallet signs from now on');
  }

  view(): ExternalWalletKey {
    const { identityKey = null, since = null } = this.#known ?? {};
    return { url: this.#options.url, identityKey, since, refused: this.refusal?.toFailure() ?? null };
  }

  async #remember(identityKey: string): Promise<void> {
    const { network, store, clock } = this.#options;
    const since = clock.now();
    const row = { identity_key: identityKey, since };
    const before = this.#known;
    // before it is written, so that of two first answers at once only one can be the first
    this.#known = { identityKey, since };
    try {
      await store.db
        .insertInto('wallet_external')
        .values({ network, ...row })
        .onConflict((conflict) => conflict.column('network').doUpdateSet(row))
        .execute();
    } catch (error) {
      this.#known = before;
      throw error;
    }
  }
}
