import { type Network, type Notice, PlanchetError } from '../../../contract/index.ts';
import { backOffMs } from '../../async/back-off.ts';
import { FollowLoop } from '../../chain-data/following/follow-loop.ts';
import { endsWithin } from '../../clock.ts';
import type { CoinStore } from '../coins/storage/coin-store.ts';
import type { WalletOptions } from '../wallet-options.ts';
import { ChainFollower } from './chain-follower.ts';
import type { HistoryScanOptions, Reading } from './history-scan.ts';

/** How often the mempool is listed while a payment is expected or not in a block yet. A node of one's own may be asked often. */
const POLL_MS: Record<Network, number> = { sandbox: 2_000, private: 2_000, test: 10_000, main: 10_000 };
/** How often it is listed while nothing is expected: the list may have megabytes. */
const IDLE_POLL_MS: Record<Network, number> = { sandbox: 2_000, private: 2_000, test: 60_000, main: 60_000 };
/** How often services are asked about each address: hardly ever while nothing is expected, since each block is looked at in any case. */
const PUBLIC_POLL_MS = { expected: 4_000, unconfirmed: 60_000, idle: 900_000 };
/** The first pause after services did not answer. */
const FIRST_AGAIN_MS = 10_000;
/** How long a payment is expected after a person looked at an address. */
const EXPECTED_FOR_MS = 600_000;
/** Payments that the node announces within this time are looked at together. */
const GATHER_MS = 250;
/** How long a start waits for the first scan of the chain; a longer scan continues in the background. */
const FIRST_PASS_WAIT_MS = 3_000;
/** How long what needs the newest coins waits for the first reading of the chain after a start. */
const READ_WAIT_MS = 30_000;
/** Errors of a node that sends what no block of the chain is or holds, or that lacks blocks: a person has to do something. */
const TOLD: ReadonlySet<string> = new Set([
  'wallet.other-block',
  'wallet.block-refused',
  'wallet.chain-refused',
  'wallet.missing-not-told',
  'wallet.history-cut',
  'chain.block-pruned',
]);
const NOTICE = 'wallet-chain';

type OfWallet = 'network' | 'chainData' | 'headers' | 'tips' | 'clock' | 'logger' | 'notices' | 'scripts';

export interface ChainLoopOptions extends Pick<WalletOptions, OfWallet>, Pick<HistoryScanOptions, 'keys' | 'keep'> {
  /** The coins to bring up to date; undefined while there are no keys. */
  coinStore: () => CoinStore | undefined;
  /** Called after a pass that changed the coins, and on the way of a long one. */
  changed: () => void;
}

/** Brings the coins up to date with each block, and between blocks in intervals for the mempool: short ones while a payment is expected. */
export class ChainLoop {
  readonly #options: ChainLoopOptions;
  #follower: { coinStore: CoinStore; chain: ChainFollower } | undefined;
  readonly #looks: FollowLoop;
  #isRead = false;
  #expectedUntil = 0;
  #awaited: readonly string[] = [];
  #isNoticed = false;
  /** How many looks failed in a row. */
  #failures = 0;
  #stopListening: () => void = () => undefined;

  constructor(options: ChainLoopOptions) {
    this.#options = options;
    this.#looks = new FollowLoop({
      clock: options.clock,
      onNews: (look) => options.tips.onTip(look),
      look: (signal, isNews) => this.#look(signal, isNews),
      pauseMs: () => this.#pauseMs(),
      onTrouble: (error) => this.#tell(error),
    });
  }

  /** Resolves after the first pass, or before it where that takes long. */
  async start(): Promise<void> {
    if (this.#looks.isRunning) return;
    this.#stopListening = this.#options.chainData.onTransaction((txid, raw) => this.#announced(txid, raw));
    const late = new Promise<void>((resolve) => this.#options.clock.after(FIRST_PASS_WAIT_MS, resolve));
    await Promise.race([this.#looks.start(), late]);
  }

  async stop(): Promise<void> {
    this.#isRead = false;
    this.#stopListening();
    await this.#looks.stop();
  }

  /** Whether the coins were brought up to date once since the start; before it, some may be missing. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Whether the last look at the chain failed, or none ended yet since the start: what the coins are, only the wallet says. */
  get isUnanswered(): boolean {
    return !this.#isRead || this.#failures > 0;
  }

  /** How far the reading of a long history is; undefined while there is none. */
  get reading(): Reading | undefined {
    return this.#follower?.chain.reading;
  }

  /** Brings the coins up to date; asked while it is doing so, it does it once more afterwards. Never throws. */
  follow(): Promise<void> {
    return this.#looks.check();
  }

  /** Waits until the chain was looked at, half a minute at most. */
  async followBriefly(): Promise<void> {
    await endsWithin(this.follow(), READ_WAIT_MS);
  }

  /**
   * Waits until the chain was searched once for all of the keys: which addresses were given out before a restore is not known earlier.
   * @param require the coins @throws PlanchetError `not-running` where that takes longer than half a minute
   */
  async requireSearched(require: () => CoinStore): Promise<void> {
    if (require().state.searchedTo !== null) return;
    await this.followBriefly();
    const { state, tip } = require();
    if (state.searchedTo !== null) return;
    const top = this.#options.tips.current()?.height ?? 0;
    throw new PlanchetError('wallet.account-scanning', { height: tip?.height ?? 0, tip: top });
  }

  /** See {@link ChainFollower.toldBy}. */
  toldBy(txid: string): readonly string[] | undefined {
    return this.#follower?.chain.toldBy(txid);
  }

  /**
   * A payment may come in the next minutes: the mempool is looked at more often, from now on.
   * @param awaited hashes of the keys that may be paid: every operator is asked about these
   */
  expectPayment(awaited: readonly string[]): void {
    const { clock } = this.#options;
    const isNew = this.#expectedUntil <= clock.now() || awaited.some((key) => !this.#awaited.includes(key));
    this.#awaited = awaited;
    this.#expectedUntil = clock.now() + EXPECTED_FOR_MS;
    if (isNew) void this.follow();
  }

  #announced(txid: string, raw: Uint8Array): void {
    const coinStore = this.#options.coinStore();
    if (coinStore && this.#followerOf(coinStore).announced(txid, raw)) this.#looks.checkWithin(GATHER_MS);
  }

  async #look(signal: AbortSignal, isNews: boolean): Promise<void> {
    const { tips, changed, notices } = this.#options;
    const coinStore = this.#options.coinStore();
    if (coinStore === undefined) return;
    const before = coinStore.revision;
    const toldBefore = this.#toldOf(coinStore);
    try {
      // Whoever asked for this look may know of a block that was not announced yet.
      await this.#followerOf(coinStore).pass(signal, isNews ? undefined : tips.current()?.hash);
      this.#isRead = true;
      this.#failures = 0;
      const { cut } = this.#followerOf(coinStore);
      if (cut === undefined && this.#isNoticed) notices.dismiss(NOTICE);
      this.#isNoticed = false;
      if (cut !== undefined) this.#notice('warning', cut);
    } catch (error) {
      this.#failures += 1;
      // A coin store that was replaced is not brought up to date any more.
      if (this.#options.coinStore() === coinStore) throw error;
    } finally {
      if (coinStore.revision !== before || this.#toldOf(coinStore) !== toldBefore) changed();
    }
  }

  /** The operators that tell of each unconfirmed transaction, as one text to compare. */
  #toldOf(coinStore: CoinStore): string {
    return [...coinStore.pending.keys()].map((txid) => `${txid} ${this.toldBy(txid) ?? ''}`).join();
  }

  #pauseMs(): number {
    const { clock, network, coinStore, chainData } = this.#options;
    const isExpected = clock.now() < this.#expectedUntil;
    const isUnconfirmed = (coinStore()?.pending.size ?? 0) > 0;
    const isSandbox = network === 'sandbox' || network === 'private';
    if (chainData.withoutLists !== true || isSandbox)
      return (isExpected || isUnconfirmed || this.#looks.hasTrouble ? POLL_MS : IDLE_POLL_MS)[network];
    const { expected, unconfirmed, idle } = PUBLIC_POLL_MS;
    if (this.#failures > 0) return backOffMs({ firstMs: FIRST_AGAIN_MS, longestMs: idle }, this.#failures);
    return isExpected ? expected : isUnconfirmed ? unconfirmed : idle;
  }

  #followerOf(coinStore: CoinStore): ChainFollower {
    if (this.#follower?.coinStore !== coinStore) {
      const { clock, changed: onReading } = this.#options;
      const awaited = () => (clock.now() < this.#expectedUntil ? this.#awaited : []);
      const chain = new ChainFollower({ ...this.#options, coinStore, awaited, onReading });
      this.#follower = { coinStore, chain };
    }
    return this.#follower.chain;
  }

  #tell(error: unknown): void {
    this.#options.logger.warn({ err: error }, 'The wallet cannot follow the chain; it tries again.');
    if (!(error instanceof PlanchetError) || !TOLD.has(error.id ?? '')) return;
    this.#notice('error', error);
  }

  #notice(level: Notice['level'], error: PlanchetError): void {
    this.#isNoticed = true;
    this.#options.notices.add({ id: NOTICE, level, failure: error.toFailure() });
  }
}
