import type { Logger } from 'pino';
import { type Network, PlanchetError } from '../../../contract/index.ts';
import { Rerun } from '../../async/rerun.ts';
import type { ChainData, TipSource } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FollowedHeaders } from '../../ports/headers.ts';
import type { Notices } from '../../ports/notices.ts';
import type { CoinBook } from '../coins/coin-book.ts';
import type { KeySource } from '../keys/key-source.ts';
import { ChainFollower } from './chain-follower.ts';
import type { ScriptCheck } from './unconfirmed-checks.ts';

/** How often the mempool is listed while a payment is expected or not in a block yet. A node of one's own may be asked often. */
const POLL_MS: Record<Network, number> = { sandbox: 2_000, test: 10_000, main: 10_000 };
/** The same while nothing is expected: the list may have megabytes. */
const IDLE_POLL_MS: Record<Network, number> = { sandbox: 2_000, test: 60_000, main: 60_000 };
/** How long a payment is expected after a person looked at an address. */
const EXPECTED_FOR_MS = 600_000;
/** How long a start waits for the first scan of the chain; a longer scan continues in the background. */
const FIRST_PASS_WAIT_MS = 3_000;
/** Errors of a node that sends what no block of the chain is or holds. */
const INVENTED: ReadonlySet<string> = new Set(['wallet.other-block', 'wallet.block-refused', 'wallet.chain-refused']);
const NOTICE = 'wallet-chain';

export interface ChainLoopOptions {
  network: Network;
  chainData: ChainData;
  headers: FollowedHeaders;
  tips: TipSource;
  clock: Clock;
  logger: Logger;
  /** Told where the node invents blocks. */
  notices: Pick<Notices, 'add' | 'dismiss'>;
  keys: KeySource;
  scripts: ScriptCheck;
  /** The coins to bring up to date; undefined while there are no keys. */
  book: () => CoinBook | undefined;
  /** Called after a pass that changed the coins. */
  changed: () => void;
}

/** Brings the coins up to date with each block, and between blocks in intervals for the mempool: short ones while a payment is expected. */
export class ChainLoop {
  readonly #options: ChainLoopOptions;
  #follower: { book: CoinBook; chain: ChainFollower } | undefined;
  #running: { abort: AbortController; passes: Rerun; stopTips: () => void } | undefined;
  #isRead = false;
  #cancelPoll: () => void = () => undefined;
  #expectedUntil = 0;
  /** Whether somebody asked for the pass that is due. */
  #isAskedFor = false;
  #lastTrouble = '';
  #isNoticed = false;

  constructor(options: ChainLoopOptions) {
    this.#options = options;
  }

  /** Resolves after the first pass, or before it where that takes long. */
  async start(): Promise<void> {
    const { tips, clock } = this.#options;
    if (this.#running) return;
    const abort = new AbortController();
    const passes = new Rerun({
      work: () => this.#pass(abort.signal),
      onError: (error) => this.#noteTrouble(error),
    });
    this.#running = { abort, passes, stopTips: tips.onTip(() => void this.follow()) };
    const first = this.follow();
    await Promise.race([first, new Promise<void>((resolve) => clock.after(FIRST_PASS_WAIT_MS, resolve))]);
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#isRead = false;
    this.#cancelPoll();
    running?.stopTips();
    running?.abort.abort();
    await running?.passes.stop();
  }

  /** Whether the coins were brought up to date once since the start; before it, some may be missing. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Brings the coins up to date; asked while it is doing so, it does it once more afterwards. Never throws. */
  follow(): Promise<void> {
    this.#isAskedFor = true;
    return this.#running?.passes.wake() ?? Promise.resolve();
  }

  /** A payment may come in the next minutes: the mempool is looked at more often, from now on. */
  expectPayment(): void {
    const { clock } = this.#options;
    const isNew = this.#expectedUntil <= clock.now();
    this.#expectedUntil = clock.now() + EXPECTED_FOR_MS;
    if (isNew) this.#poll();
  }

  #poll(): void {
    void this.#running?.passes.wake();
  }

  async #pass(signal: AbortSignal): Promise<void> {
    this.#cancelPoll();
    const { clock, tips, changed } = this.#options;
    // Whoever asked for it may know of a block that is not told yet.
    const best = this.#isAskedFor ? undefined : tips.current()?.hash;
    this.#isAskedFor = false;
    const book = this.#options.book();
    if (book) {
      const follower = this.#followerOf(book);
      const before = book.revision;
      try {
        await follower.pass(signal, best);
        this.#isRead = true;
        this.#lastTrouble = '';
        if (this.#isNoticed) this.#options.notices.dismiss(NOTICE);
        this.#isNoticed = false;
      } catch (error) {
        // A book that was replaced is not brought up to date any more.
        if (!signal.aborted && this.#options.book() === book) this.#noteTrouble(error);
      }
      if (book.revision !== before) changed();
    }
    if (!signal.aborted) this.#cancelPoll = clock.after(this.#pauseMs(book), () => this.#poll());
  }

  #pauseMs(book: CoinBook | undefined): number {
    const { clock, network } = this.#options;
    const waits = clock.now() < this.#expectedUntil || this.#lastTrouble !== '' || (book?.pending.size ?? 0) > 0;
    return (waits ? POLL_MS : IDLE_POLL_MS)[network];
  }

  #followerOf(book: CoinBook): ChainFollower {
    if (this.#follower?.book !== book) {
      const { chainData, headers, clock, keys, scripts } = this.#options;
      this.#follower = { book, chain: new ChainFollower({ chainData, headers, clock, keys, book, scripts }) };
    }
    return this.#follower.chain;
  }

  /** A node that stays away is one line in the log, not one each poll. */
  #noteTrouble(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message === this.#lastTrouble) return;
    this.#lastTrouble = message;
    this.#options.logger.warn({ err: error }, 'The wallet cannot follow the chain; it tries again.');
    if (!(error instanceof PlanchetError) || !INVENTED.has(error.id ?? '')) return;
    this.#isNoticed = true;
    this.#options.notices.add({ id: NOTICE, level: 'error', failure: error.toFailure() });
  }
}
