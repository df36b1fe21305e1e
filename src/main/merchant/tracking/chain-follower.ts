import type { Logger } from 'pino';
import type { Network } from '../../../contract/index.ts';
import { leftUntil } from '../../async/left-until.ts';
import { FollowLoop } from '../../chain-data/following/follow-loop.ts';
import type { ChainData, TipSource } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HeadersChange } from '../../ports/headers.ts';
import { BlockFollower } from './block-follower.ts';
import type { TrackedChain } from './storage/tracked-chain.ts';
import type { Tracker } from './tracker.ts';
import { WaitingTransactions, type WaitingTransactionsOptions } from './waiting.ts';

/** While transactions are open, the node's best block is looked at so often, should an announcement have been missed. */
const POLL_MS = 5_000;
/** The same while none is. A sandbox goes back to snapshots without a new tip, and calls to it cost nothing. */
const IDLE_POLL_MS: Record<Network, number> = { sandbox: POLL_MS, private: POLL_MS, test: 60_000, main: 60_000 };
const SHORTEST_WAIT_MS = 100;
/** After a look at more transactions than this, there is a pause: a look costs some microseconds for each, and may take a hundredth of the time. */
const MANY = 500;
const PAUSE_MS_EACH = 1;
const LONGEST_PAUSE_MS = 120_000;

export interface ChainFollowerOptions extends Pick<WaitingTransactionsOptions, 'sendAgain' | 'sentByTheirService'> {
  network: Network;
  chain: TrackedChain;
  tracker: Tracker;
  chainData: ChainData;
  tip: Pick<TipSource, 'onTip'>;
  clock: Clock;
  logger: Logger;
}

/** Follows tracked transactions through the node's chain and mempool: at each new block, and when one of them is due. */
export class ChainFollower {
  readonly #options: ChainFollowerOptions;
  readonly #blocks: BlockFollower;
  readonly #waiting: WaitingTransactions;
  readonly #looks: FollowLoop;
  /** The chain changed since the last look at all waiting transactions. */
  #isChanged = true;
  #restsUntil = 0;

  constructor(options: ChainFollowerOptions) {
    this.#options = options;
    const now = (): number => options.clock.now();
    this.#blocks = new BlockFollower({ ...options, now });
    this.#waiting = new WaitingTransactions({ ...options, now });
    this.#looks = new FollowLoop({
      clock: options.clock,
      onNews: (look) => options.tip.onTip(look),
      look: (signal) => this.#look(signal),
      pauseMs: () => this.#pauseMs(),
      onTrouble: (error) => options.logger.warn({ err: error }, 'submitted transactions cannot be followed now'),
    });
  }

  start(): void {
    this.#options.tracker.onDue = () => this.#looks.checkWithin(SHORTEST_WAIT_MS);
    void this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  /** Looks at the chain now; asked while it does so, once more afterwards. Never throws. */
  check(): Promise<void> {
    return this.#looks.check();
  }

  /** Takes back what stands on blocks that the verified headers left, then looks at the chain. Never throws. */
  async leave({ fork, left, tip }: HeadersChange, isActive: (hash: string) => boolean): Promise<void> {
    // A chain may also end lower than before, where a sandbox or a regression-test node went back.
    const top = Math.max(tip.height, fork + left);
    await this.#blocks.leave(fork, top, isActive).catch((error: unknown) => this.#looks.noteTrouble(error));
    await this.check();
  }

  async #pauseMs(): Promise<number> {
    const { chain, clock, network } = this.#options;
    const due = await chain.nextDue().catch(() => undefined);
    if (due === undefined) return IDLE_POLL_MS[network];
    const next = Math.max(due - clock.now(), this.#restLeft());
    return Math.min(POLL_MS, Math.max(SHORTEST_WAIT_MS, next));
  }

  #restLeft(): number {
    return leftUntil(this.#restsUntil, this.#options.clock.now(), LONGEST_PAUSE_MS);
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    if (await this.#blocks.follow(signal)) this.#isChanged = true;
    if (this.#restLeft() > 0) return;
    const which = this.#isChanged ? 'all' : 'due';
    this.#isChanged = false;
    try {
      const looked = await this.#waiting.look(which, signal);
      if (looked > MANY) this.#restsUntil = clock.now() + Math.min(LONGEST_PAUSE_MS, looked * PAUSE_MS_EACH);
    } catch (error) {
      if (which === 'all') this.#isChanged = true;
      throw error;
    }
  }
}
