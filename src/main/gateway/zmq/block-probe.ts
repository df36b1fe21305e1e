import type { Logger } from 'pino';
import type { Clock } from '../../ports/clock.ts';
import type { NodeRpc } from '../../ports/node.ts';

/** Interval at which the chain is checked for blocks without a message. */
const LOOK_MS = 5_000;

export interface BlockProbeOptions {
  node: NodeRpc;
  clock: Clock;
  logger: Logger;
  /** False while no upstream is known to be on the network's chain. Nothing is checked then. */
  onChain: () => boolean;
  /** Publishes the blocks up to the tip that were not published yet. @throws PlanchetError `upstream-*` */
  catchUp: (tip: string) => Promise<void>;
}

/**
 * Checks the chain every five seconds, and at once when the ZMQ upstream is connected. A block whose message was lost, or sent while there
 * was no connection, is found this way instead of with the next block.
 */
export class BlockProbe {
  readonly #options: BlockProbeOptions;
  #probing: Promise<void> | undefined;
  #again = false;
  readonly #closing = new AbortController();
  #reachable = true;
  #cancel: () => void = () => {};

  constructor(options: BlockProbeOptions) {
    this.#options = options;
  }

  /** Checks now, or once more if a check is running. Returns at once. */
  look(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#probing !== undefined) {
      this.#again = true;
      return;
    }
    this.#cancel();
    this.#probing = this.#round().then(() => {
      this.#probing = undefined;
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
    await this.#probing;
  }

  async #round(): Promise<void> {
    const { node, logger, onChain, catchUp } = this.#options;
    if (!onChain()) return;
    try {
      const tip = await node.call<string>('getbestblockhash', [], { signal: this.#closing.signal });
      if (!this.#closing.signal.aborted) await catchUp(tip);
      this.#reachable = true;
    } catch (error) {
      // once per outage
      if (this.#reachable && !this.#closing.signal.aborted)
        logger.warn({ err: error }, 'the chain cannot be checked for lost blocks');
      this.#reachable = false;
    }
  }
}
