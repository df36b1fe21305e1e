import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { PlanchetError, type PublicSourceName, settingsSchema } from '../../../contract/index.ts';
import { createChainData, type FollowedChain } from '../../chain-data/create-chain-data.ts';
import { systemClock } from '../../clock.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { publicSourcesAt } from '../../test-support/public-sources-at.ts';
import type { ScriptCheck } from '../chain/mempool/unconfirmed-checks.ts';
import { walletMigrations } from '../migrations.ts';
import type { WalletTables } from '../tables.ts';
import { Wallet } from '../wallet.ts';
import { TestSecrets } from './test-wallet.ts';

const NETWORK = 'private';

export interface WalletOfServicesOptions {
  /** Address of the sandbox that plays the services. */
  readonly root: string;
  readonly sources: readonly PublicSourceName[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly scripts: ScriptCheck;
}

/**
 * The wallet of an installation without a node: real headers, chain data and coin store over the public services of a sandbox. It looks at the chain
 * when a test says so, and not between.
 */
export class WalletOfServices {
  readonly #options: WalletOfServicesOptions;
  readonly #secrets = new TestSecrets(new PlanchetError({ code: 'vault-locked', message: 'locked' }));
  #folder = mkdtempSync(join(tmpdir(), 'planchet-services-'));
  #chain!: FollowedChain;
  #store!: Store<WalletTables>;
  #wallet!: Wallet;
  /** Who sent what does not hold, and what, each time that the log says so. */
  readonly named: { source: string; reason: string }[] = [];
  /** Why looks at the chain failed. */
  readonly failures: unknown[] = [];

  private constructor(options: WalletOfServicesOptions) {
    this.#options = options;
  }

  /** @param words of the seed; left out, they are made */
  static async open(options: WalletOfServicesOptions, words?: string): Promise<WalletOfServices> {
    const one = new WalletOfServices(options);
    await one.#open();
    if (words === undefined) await one.#wallet.create();
    else await one.#wallet.restore(words);
    await one.look();
    return one;
  }

  get wallet(): Wallet {
    return this.#wallet;
  }

  get chain(): FollowedChain {
    return this.#chain;
  }

  get coinStore() {
    return this.#wallet.open().coinStore;
  }

  /** Reads the headers, and brings the coins up to date. */
  async look(): Promise<void> {
    await this.#chain.headers.refresh();
    await this.#wallet.follow();
  }

  /** Closes everything and opens it again. */
  async restart(): Promise<void> {
    await this.#close();
    await this.#open();
  }

  /** Goes on from what the disk has in this moment, as after a loss of the process. */
  async kill(): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'planchet-services-'));
    // the store and the headers are written by this thread, so nothing is half done within a copy but what is half done
    cpSync(this.#folder, folder, { recursive: true });
    await this.#close();
    rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = folder;
    await this.#open();
  }

  async remove(): Promise<void> {
    await this.#close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #open(): Promise<void> {
    const { root, sources, now, scripts } = this.#options;
    const clock: Clock = { now, after: systemClock.after };
    /** Nothing falls due by itself: a look ends before the next thing happens. */
    const still: Clock = { now, after: () => () => undefined };
    const text = publicSourcesAt(root, sources);
    this.#chain = createChainData({
      network: NETWORK,
      dataDir: this.#folder,
      clock,
      logger: pino({ level: 'warn' }, { write: (line: string) => this.#noteLine(line) }),
      node: {
        readers: { node: { name: 'none', call: () => Promise.reject(new Error('there is no node')) } },
        tip: { current: () => null, onTip: () => () => undefined },
        zmqAddress: () => '',
      },
      outbound: () => undefined,
      publicSources: () => text,
      joinUrl: () => '',
      isPublic: () => true,
    });
    const { chainData, headers, tips } = this.#chain;
    this.#store = await openStore<WalletTables>({
      file: join(this.#folder, 'wallet.db'),
      migrations: walletMigrations,
      synchronous: 'normal',
    });
    this.#wallet = await Wallet.open({
      network: NETWORK,
      secrets: this.#secrets,
      clock: still,
      store: this.#store,
      settings: { current: () => settingsSchema.parse({}) },
      chainData,
      headers,
      tips: { current: () => tips.current(), onTip: () => () => undefined },
      notices: { add: () => undefined, dismiss: () => undefined },
      scripts,
      events: { publish: () => undefined },
      logger: pino({ level: 'warn' }, { write: (line: string) => void this.failures.push(JSON.parse(line)) }),
    });
    await this.#wallet.start();
  }

  async #close(): Promise<void> {
    await this.#wallet.stop();
    await this.#chain.headers.close();
    await this.#store.close();
  }

  #noteLine(line: string): void {
    const { source, reason, err } = JSON.parse(line) as { source?: string; reason?: string; err?: { message: string } };
    if (source !== undefined) this.named.push({ source, reason: reason ?? err?.message ?? '' });
  }
}
