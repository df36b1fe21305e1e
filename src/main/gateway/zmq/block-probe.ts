import type { Logger } from 'pino';
import type { Clock } from '../../ports/clock.ts';
import type { NodeRpc } from '../../ports/node.ts';

/** How often the chain is looked at for blocks nobody told. */
const LOOK_MS = 5_000;

export interface BlockProbeOptions {
  node: NodeRpc;
  clock: Clock;
  logger: Logger;
  /** False while no upstream was found to be on the network's chain: nothing is looked for then. */
  onChain: () => boolean;
  /** Publishes what leads to the tip and was not published yet. @throws PlanchetError `upstream-*` */
  catchUp: (tip: string) => Promise<void>;
}

/**
 * Looks at the chain every five seconds, and at once when the ZMQ upstream is connected: a block whose message was lost, or was sent while
 * nobody listened, is found that way and not only with the next block.
 */
export class BlockProbe {
  readonly #options: BlockProbeOptions;
  #looking: Promise<void> | undefined;
  #again = false;
  readonly #closing = new AbortController();
  #reachable = true;
  #cancel: () => void = () => {};

  constructor(options: BlockProbeOptions) {
    this.#options = options;
  }

  /** Looks now, or once more where a look is under way; returns at once. */
  look(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#looking !== undefined) {
      this.#again = true;
      return;
    }
    this.#cancel();
    this.#looking = this.#round().then(() => {
      this.#looking = undefined;
      if (this.#closing.signal.aborted) return;
      if (this.#again) {
        this.#again = false;
        this.look();
      } else this.#cancel = this.#options.clock.after(LOOK_MS, () => this.look());
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancel();
    await this.#looking;
  }

  async #round(): Promise<void> {
    const { node, logger, onChain, catchUp } = this.#options;
    if (!onChain()) return;
    try {
      const tip = await node.call<string>('getbestblockhash', [], { signal: this.#closing.signal });
      if (!this.#closing.signal.aborted) await catchUp(tip);
      this.#reachable = true;
    } catch (error) {
      // once for an outage
      if (this.#reachable && !this.#closing.signal.aborted)
        logger.warn({ err: error }, 'the chain cannot be looked at for lost blocks');
      this.#reachable = false;
    }
  }
}
