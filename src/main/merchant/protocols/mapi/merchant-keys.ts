import type { Logger } from 'pino';
import {
  type Contract,
  type MerchantKey,
  type Network,
  PlanchetError,
  type QuoteSource,
  type Serves,
} from '../../../../contract/index.ts';
import { Sequencer } from '../../../async/sequencer.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Store } from '../../../ports/store.ts';
import type { MerchantTables } from './tables.ts';

export interface MerchantKeysOptions {
  network: Network;
  /** Opened with `merchantMigrations` among its migrations. */
  store: Store<MerchantTables>;
  /** The only key that an endpoint (see `endpointOf`) may sign with; undefined where its first key is remembered. */
  pinned: (endpoint: string) => string | undefined;
  /** The same for an endpoint that a person added, whose key no setting names. */
  pinnedByMiner?: (endpoint: string) => string | undefined;
  clock: Clock;
  logger: Logger;
}

/** Says whether the signer of an answer is the one that is expected. */
export interface KeyCheck {
  /** See {@link MerchantKeys.check}. */
  check(url: string, publicKey: string | null): Promise<QuoteSource>;
  /** Whether an answer that was checked earlier would still be taken. */
  isTrusted(source: QuoteSource): boolean;
}

interface Known {
  publicKey: string | null;
  since: number;
}

type Change = MerchantKey['changes'][number];

/**
 * The keys that sign the answers of merchant APIs. The key of an endpoint's first answer is remembered; an answer with another key, or
 * without a signature where there was one, is refused until a person accepts it. A signature alone proves nothing: anybody can make a
 * key and sign a quote of any height with it.
 */
export class MerchantKeys implements KeyCheck, Serves<Contract['merchant']> {
  readonly #options: MerchantKeysOptions;
  /** All rows of the network, so that the usual answer costs no query. */
  readonly #known = new Map<string, Known>();
  readonly #changes = new Map<string, Change[]>();
  readonly #refused = new Map<string, NonNullable<MerchantKey['refused']>>();
  /** Writes go one after the other, in the order of the changes in memory. */
  readonly #writing = new Sequencer();

  private constructor(options: MerchantKeysOptions) {
    this.#options = options;
  }

  /** @throws PlanchetError `store-failed` */
  static async open(options: MerchantKeysOptions): Promise<MerchantKeys> {
    const keys = new MerchantKeys(options);
    const { db } = options.store;
    const rows = await db.selectFrom('merchant_keys').selectAll().where('network', '=', options.network).execute();
    for (const { endpoint, public_key, since } of rows)
      keys.#known.set(endpoint, { publicKey: public_key, since: Number(since) });
    const changes = await db
      .selectFrom('merchant_key_changes')
      .selectAll()
      .where('network', '=', options.network)
      .orderBy('id')
      .execute();
    for (const { endpoint, old_key, new_key, reason, at } of changes)
      keys.#changesOf(endpoint).push({ from: old_key, to: new_key, at: Number(at), reason });
    return keys;
  }

  /**
   * Holds the signer of an answer against the one known for its endpoint. What is learned is on the disk before this returns.
   * @param url address of the merchant API, as it is set
   * @param publicKey of a signature that is valid: compressed, lower-case hex; null for an unsigned answer
   * @throws PlanchetError `merchant-key-changed`
   */
  async check(url: string, publicKey: string | null): Promise<QuoteSource> {
    const endpoint = endpointOf(url);
    const pinned = this.#pinned(endpoint);
    const known = this.#known.get(endpoint);
    if (pinned !== undefined && publicKey !== pinned) throw this.#refuse(endpoint, { publicKey, known, pinned });
    if (known === undefined) await this.#learn(endpoint, publicKey);
    else if (known.publicKey !== publicKey) {
      if (pinned === undefined && known.publicKey !== null) throw this.#refuse(endpoint, { publicKey, known });
      await this.#replace(endpoint, publicKey, pinned === undefined ? 'signed' : 'pinned');
    }
    const { since } = this.#known.get(endpoint) as Known;
    return { endpoint, publicKey, since, pinned: pinned !== undefined };
  }

  /**
   * The same check for a test of an endpoint: nothing is remembered from it.
   * @param pinnedKey the only key that it may sign with; left out, the one that is pinned or known for it
   */
  withoutLearning(pinnedKey?: string): KeyCheck {
    return {
      isTrusted: () => true,
      check: async (url, publicKey) => {
        const endpoint = endpointOf(url);
        const pinned = pinnedKey ?? this.#pinned(endpoint);
        const known = this.#known.get(endpoint);
        const expected = pinned ?? known?.publicKey ?? undefined;
        if (expected !== undefined && publicKey !== expected)
          throw this.#refusal(endpoint, { publicKey, known, pinned, byMiner: pinnedKey !== undefined });
        const since = known?.publicKey === publicKey ? known.since : this.#options.clock.now();
        return { endpoint, publicKey, since, pinned: pinned !== undefined };
      },
    };
  }

  /** Whether an answer that was checked earlier would still be taken. */
  isTrusted({ endpoint, publicKey }: Pick<QuoteSource, 'endpoint' | 'publicKey'>): boolean {
    const pinned = this.#pinned(endpoint);
    return publicKey === (pinned ?? this.#known.get(endpoint)?.publicKey);
  }

  /** What is known of one endpoint; undefined before its first answer. */
  of(url: string): MerchantKey | undefined {
    const endpoint = endpointOf(url);
    return this.#known.has(endpoint) ? this.#view(endpoint) : undefined;
  }

  keys(): MerchantKey[] {
    return [...this.#known.keys()].sort().map((endpoint) => this.#view(endpoint));
  }

  /**
   * Puts another key in place of the known one. The caller names the key, so nothing is accepted unseen.
   * @throws PlanchetError `not-found` for an endpoint that was never asked, `conflict` if the setting pins another key
   */
  async acceptKey({ endpoint: url, publicKey }: { endpoint: string; publicKey: string | null }): Promise<MerchantKey> {
    const endpoint = this.#known.has(url) ? url : endpointOf(url);
    const known = this.#known.get(endpoint);
    if (known === undefined) throw new PlanchetError('merchant.key-unknown', { endpoint });
    const pinned = this.#pinned(endpoint);
    if (pinned !== undefined && publicKey !== pinned)
      throw new PlanchetError(this.#isPinnedByMiner(endpoint) ? 'merchant.key-pinned' : 'merchant.key-from-settings');
    if (known.publicKey !== publicKey) await this.#replace(endpoint, publicKey, 'accepted');
    return this.#view(endpoint);
  }

  #pinned(endpoint: string): string | undefined {
    const { pinned, pinnedByMiner } = this.#options;
    return (pinned(endpoint) || pinnedByMiner?.(endpoint))?.toLowerCase() || undefined;
  }

  #isPinnedByMiner(endpoint: string): boolean {
    return !this.#options.pinned(endpoint) && this.#pinned(endpoint) !== undefined;
  }

  #view(endpoint: string): MerchantKey {
    const { publicKey, since } = this.#known.get(endpoint) as Known;
    return {
      endpoint,
      publicKey,
      since,
      pinned: this.#pinned(endpoint) !== undefined,
      refused: this.#refused.get(endpoint) ?? null,
      changes: [...this.#changesOf(endpoint)],
    };
  }

  #changesOf(endpoint: string): Change[] {
    const changes = this.#changes.get(endpoint) ?? [];
    this.#changes.set(endpoint, changes);
    return changes;
  }

  /** Set in memory before it is written, so that of two first answers at once only one can be the first. */
  async #learn(endpoint: string, publicKey: string | null): Promise<void> {
    const { store, network, clock, logger } = this.#options;
    const known = { publicKey, since: clock.now() };
    this.#known.set(endpoint, known);
    try {
      await this.#writing.run(() =>
        store.db
          .insertInto('merchant_keys')
          .values({ network, endpoint, public_key: publicKey, since: known.since })
          .execute(),
      );
    } catch (error) {
      if (this.#known.get(endpoint) === known) this.#known.delete(endpoint);
      throw error;
    }
    if (publicKey === null) logger.warn({ endpoint }, 'the merchant API does not sign its answers');
    else logger.info({ endpoint, publicKey }, 'the key of the merchant API is remembered');
  }

  async #replace(endpoint: string, publicKey: string | null, reason: Change['reason']): Promise<void> {
    const { store, network, clock, logger } = this.#options;
    const before = this.#known.get(endpoint) as Known;
    const at = clock.now();
    const after = { publicKey, since: at };
    this.#known.set(endpoint, after);
    try {
      await this.#writing.run(() =>
        store.db.transaction().execute(async (db) => {
          await db
            .updateTable('merchant_keys')
            .set({ public_key: publicKey, since: at })
            .where('network', '=', network)
            .where('endpoint', '=', endpoint)
            .execute();
          await db
            .insertInto('merchant_key_changes')
            .values({ network, endpoint, old_key: before.publicKey, new_key: publicKey, reason, at })
            .execute();
        }),
      );
    } catch (error) {
      if (this.#known.get(endpoint) === after) this.#known.set(endpoint, before);
      throw error;
    }
    this.#changesOf(endpoint).push({ from: before.publicKey, to: publicKey, at, reason });
    this.#refused.delete(endpoint);
    logger.warn(
      { endpoint, from: before.publicKey, to: publicKey, reason },
      'the key of the merchant API was replaced',
    );
  }

  #refuse(
    endpoint: string,
    { publicKey, known, pinned }: { publicKey: string | null; known: Known | undefined; pinned?: string },
  ): PlanchetError {
    this.#refused.set(endpoint, { publicKey, at: this.#options.clock.now() });
    return this.#refusal(endpoint, { publicKey, known, pinned, byMiner: this.#isPinnedByMiner(endpoint) });
  }

  #refusal(endpoint: string, { publicKey, known, pinned, byMiner }: Refused): PlanchetError {
    const expected = pinned ?? known?.publicKey ?? null;
    const id = refusalId(publicKey === null, pinned === undefined ? 'remembered' : byMiner ? 'miner' : 'settings');
    return new PlanchetError(
      id,
      { endpoint, key: publicKey ?? UNSIGNED },
      {
        detail: {
          endpoint,
          knownKey: expected ?? UNSIGNED,
          ...(pinned === undefined && known !== undefined ? { knownSince: new Date(known.since).toISOString() } : {}),
          offeredKey: publicKey ?? UNSIGNED,
          pinned: pinned !== undefined,
        },
      },
    );
  }
}

/** An answer that is refused, and what was expected. */
interface Refused {
  readonly publicKey: string | null;
  readonly known: Known | undefined;
  readonly pinned: string | undefined;
  /** Whether a miner's own settings pin the key. */
  readonly byMiner: boolean;
}

/** @param from where the expected key comes from */
function refusalId(unsigned: boolean, from: 'remembered' | 'miner' | 'settings') {
  switch (from) {
    case 'remembered':
      return unsigned ? 'merchant.unsigned' : 'merchant.key-changed';
    case 'miner':
      return unsigned ? 'merchant.unsigned-key-pinned' : 'merchant.other-key-than-pinned';
    case 'settings':
      return unsigned ? 'merchant.unsigned-key-from-settings' : 'merchant.other-key-than-settings';
  }
}

/** Stands for the missing key where keys are text. */
const UNSIGNED = 'unsigned';

/** An address by which an endpoint is known: credentials and the slash at the end do not make another one. */
export function endpointOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/, '')}${search}`;
}
