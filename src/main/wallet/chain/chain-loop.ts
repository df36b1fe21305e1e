import type { Logger } from 'pino';
import type { Network } from '../../../contract/index.ts';
import { Rerun } from '../../async/rerun.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeRpc, TipSource } from '../../ports/node.ts';
import type { CoinBook } from '../coins/coin-book.ts';
import type { KeySource } from '../keys/key-source.ts';
import { ChainFollower } from './chain-follower.ts';
import type { ScriptCheck } from './unconfirmed-checks.ts';

const POLL_MS: Record<Network, number> = { sandbox: 2_000, test: 10_000, main: 10_000 };
/** How long a start waits for the first scan of the chain; a longer scan continues in the background. */
const FIRST_PASS_WAIT_MS = 3_000;

export interface ChainLoopOptions {
  network: Network;
  rpc: NodeRpc;
  tips: TipSource;
  clock: Clock;
  logger: Logger;
  keys: KeySource;
  scripts: ScriptCheck;
  /** The coins to bring up to date; undefined while there are no keys. */
  book: () => CoinBook | undefined;
  /** Called after a pass that changed the coins. */
  changed: () => void;
}

/** Brings the coins up to date with each block, and between blocks in short intervals for the mempool. */
export class ChainLoop {
  readonly #options: ChainLoopOptions;
  #follower: { book: CoinBook; chain: ChainFollower } | undefined;
  #running: { abort: AbortController; passes: Rerun; stopTips: () => void } | undefined;
  #isRead = false;
  #cancelPoll: () => void = () => undefined;
  #lastTrouble = '';

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
    return this.#running?.passes.wake() ?? Promise.resolve();
  }

  async #pass(signal: AbortSignal): Promise<void> {
    this.#cancelPoll();
    const { clock, network, changed } = this.#options;
    const book = this.#options.book();
    if (book) {
      const follower = this.#followerOf(book);
      const before = book.revision;
      try {
        await follower.pass(signal);
        this.#isRead = true;
        this.#lastTrouble = '';
      } catch (error) {
        // A book that was replaced is not brought up to date any more.
        if (!signal.aborted && this.#options.book() === book) this.#noteTrouble(error);
      }
      if (book.revision !== before) changed();
    }
    if (!signal.aborted) this.#cancelPoll = clock.after(POLL_MS[network], () => void this.follow());
  }

  #followerOf(book: CoinBook): ChainFollower {
    if (this.#follower?.book !== book) {
      const { rpc, clock, keys, scripts } = this.#options;
      this.#follower = { book, chain: new ChainFollower({ rpc, clock, keys, book, scripts }) };
    }
    return this.#follower.chain;
  }

  /** A node that stays away is one line in the log, not one each poll. */
  #noteTrouble(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message === this.#lastTrouble) return;
    this.#lastTrouble = message;
    this.#options.logger.warn({ err: error }, 'The wallet cannot follow the chain; it tries again.');
  }
}
