import type { Logger } from 'pino';
import { Rerun } from '../../async/rerun.ts';
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
  readonly #rounds: Rerun;
  readonly #closing = new AbortController();
  #reachable = true;
  #cancel: () => void = () => {};

  constructor(options: BlockProbeOptions) {
    this.#options = options;
    this.#rounds = new Rerun({
      work: () => this.#round(),
      onError: (error) => {
        // once per outage
        if (this.#reachable && !this.#closing.signal.aborted)
          options.logger.warn({ err: error }, 'the chain cannot be checked for lost blocks');
        this.#reachable = false;
      },
    });
  }

  /** Checks now, or once more if a check is running. Returns at once. */
  look(): void {
    if (this.#closing.signal.aborted) return;
    this.#cancel();
    void this.#rounds.wake().then(() => {
      this.#cancel();
      if (!this.#closing.signal.aborted) this.#cancel = this.#options.clock.after(LOOK_MS, () => this.look());
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancel();
    await this.#rounds.stop();
  }

  async #round(): Promise<void> {
    const { node, onChain, catchUp } = this.#options;
    if (!onChain()) return;
    const tip = await node.call<string>('getbestblockhash', [], { signal: this.#closing.signal });
    if (!this.#closing.signal.aborted) await catchUp(tip);
    this.#reachable = true;
  }
}
