import type { Logger } from 'pino';
import { parseDuration } from '../../../../contract/index.ts';
import { Sequencer } from '../../../async/sequencer.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { SandboxNode } from '../node.ts';

export interface MinerOptions {
  readonly node: SandboxNode;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Setting `sandbox.mineInterval`: a duration; `0` turns the timer off. */
  readonly mineInterval: string;
  /** Setting `sandbox.mineOnArrival`: a duration; empty or `0` turns it off. */
  readonly mineOnArrival: string;
}

/** Mines a block periodically if transactions wait. An empty mempool creates no blocks, so an idle sandbox does not grow. */
export class Miner {
  readonly #options: MinerOptions;
  readonly #interval: number;
  readonly #delay: number | undefined;
  #stops: (() => void)[] = [];
  #arrival: (() => void) | undefined;
  #cancelInterval: (() => void) | undefined;
  readonly #mining = new Sequencer();

  constructor(options: MinerOptions) {
    this.#options = options;
    this.#interval = parseDuration(options.mineInterval) ?? 0;
    // As with the timer, 0 is off; parseDuration knows no empty text.
    this.#delay = parseDuration(options.mineOnArrival) || undefined;
  }

  /** Starts the timers. Transactions that are already waiting count as arriving now. */
  start(): void {
    const { node } = this.#options;
    if (this.#interval > 0) this.#nextInterval();
    if (this.#delay === undefined) return;
    this.#stops.push(node.onTransactions(() => this.#arrived()));
    if (node.mempool.size > 0) this.#arrived();
  }

  /** Stops the timers after finishing a running block. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.#cancelInterval?.();
    this.#arrival?.();
    this.#arrival = undefined;
    await this.settled();
  }

  /** Resolves when no block is being mined. */
  async settled(): Promise<void> {
    await this.#mining.idle();
  }

  #nextInterval(): void {
    this.#cancelInterval = this.#options.clock.after(this.#interval, () => {
      this.#mine();
      this.#nextInterval();
    });
  }

  #arrived(): void {
    this.#arrival ??= this.#options.clock.after(this.#delay ?? 0, () => {
      this.#arrival = undefined;
      this.#mine();
    });
  }

  #mine(): void {
    const { node, logger } = this.#options;
    void this.#mining.run(async () => {
      if (node.mempool.size === 0) return;
      try {
        await node.mine(1);
        // transactions that did not fit wait for another block
        if (this.#delay !== undefined && node.mempool.size > 0) this.#arrived();
      } catch (error) {
        logger.error({ err: error }, 'the sandbox could not mine a block');
      }
    });
  }
}
