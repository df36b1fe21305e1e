import type { Logger } from 'pino';
import type { Tip } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TipSource } from '../../ports/node.ts';
import type { Endpoints } from '../../ports/settings.ts';
import { Subscription } from '../zmq/zmtp/index.ts';
import type { ChainView } from './chain-view.ts';

/** How often the node is asked for its tip. Notifications only make it be asked sooner, so that a lost one costs no more than this. */
const POLL_MS = 2_000;
const ANNOUNCEMENT = 'hashblock';

export interface TipFollowerOptions {
  /** What decides which block is the tip: for the wallet as for those who call the gateway. */
  chain: Pick<ChainView, 'refresh' | 'timeOf'>;
  endpoints: () => Endpoints;
  clock: Clock;
  logger: Logger;
  /** Tells that what was heard last may be of another chain. @returns what ends that */
  onUpstreamsChanged?: (listener: () => void) => () => void;
}

/**
 * Follows the tip of the main chain: asks every two seconds, and at once when the node's ZMQ announces a block. Lives through any
 * number of restarts of the node. While the nodes that answer are behind the tip that was told, it stays.
 */
export class TipFollower implements TipSource {
  readonly #options: TipFollowerOptions;
  readonly #listeners = new Set<(tip: Tip) => void>();
  readonly #announced = new Set<() => void>();
  readonly #forgotten = new Set<() => void>();
  #tip: Tip | null = null;
  #running = false;
  #reachable = true;
  #cancelPoll: () => void = () => {};
  #endVoid: () => void = () => {};
  #asking: Promise<void> | undefined;
  #askAgain = false;
  /** Times the tip was forgotten: what was asked before is not believed. */
  #voids = 0;
  #subscription: { url: string; socket: Subscription<true> } | undefined;

  constructor(options: TipFollowerOptions) {
    this.#options = options;
  }

  /** The last tip seen, also while the node is away; null until the first answer. */
  current(): Tip | null {
    return this.#tip;
  }

  /** Calls `listener` once for each new tip, not for the present one. @returns what ends that */
  onTip(listener: (tip: Tip) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Calls `listener` when the tip turned out to be another chain's, so that there is none now. @returns what ends that */
  onForgotten(listener: () => void): () => void {
    this.#forgotten.add(listener);
    return () => {
      this.#forgotten.delete(listener);
    };
  }

  /** Calls `listener` whenever the node's ZMQ announces a block, before anything is known of it. @returns what ends that */
  onAnnouncement(listener: () => void): () => void {
    this.#announced.add(listener);
    return () => {
      this.#announced.delete(listener);
    };
  }

  /** Returns at once: the first tip comes when the node answers. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#endVoid = this.#options.onUpstreamsChanged?.(() => this.#forget()) ?? (() => {});
    this.#poll();
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#cancelPoll();
    this.#endVoid();
    const subscription = this.#subscription;
    this.#subscription = undefined;
    subscription?.socket.close();
  }

  /** Asks the node now, for whoever knows that its tip has moved. Resolves when the answer has been told to all listeners. */
  async refresh(): Promise<void> {
    if (!this.#running) return;
    this.#askAgain = true;
    this.#asking ??= this.#askUntilSettled().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  #poll(): void {
    if (!this.#running) return;
    this.#followZmq();
    void this.refresh().then(() => {
      if (this.#running) this.#cancelPoll = this.#options.clock.after(POLL_MS, () => this.#poll());
    });
  }

  async #askUntilSettled(): Promise<void> {
    while (this.#askAgain && this.#running) {
      this.#askAgain = false;
      try {
        await this.#ask();
        if (!this.#reachable) this.#options.logger.info('the node answers again');
        this.#reachable = true;
      } catch (error) {
        if (!this.#running) return;
        if (this.#reachable) this.#options.logger.warn({ err: error }, 'the tip cannot be read from the node');
        this.#reachable = false;
      }
    }
  }

  async #ask(): Promise<void> {
    const { chain } = this.#options;
    const voids = this.#voids;
    const { hash, height } = await chain.refresh();
    if (hash === this.#tip?.hash) return;
    const tip: Tip = { hash, height, time: await chain.timeOf({ hash, height }) };
    if (!this.#running || voids !== this.#voids) return;
    this.#tip = tip;
    for (const listener of this.#listeners) {
      try {
        listener(tip);
      } catch (error) {
        this.#options.logger.error({ err: error }, 'a listener of the tip failed');
      }
    }
  }

  #forget(): void {
    this.#voids += 1;
    this.#tip = null;
    for (const listener of this.#forgotten) listener();
    void this.refresh();
  }

  /** Connects to the node's ZMQ, and again when its address changes. */
  #followZmq(): void {
    const url = this.#options.endpoints().bitcoinZmqUrl;
    if (url === (this.#subscription?.url ?? '')) return;
    this.#subscription?.socket.close();
    this.#subscription = undefined;
    if (url === '') return;
    try {
      const socket = new Subscription<true>({
        address: url,
        topics: [ANNOUNCEMENT],
        topicAt: (bytes, start, end) => bytes.toString('latin1', start, end) === ANNOUNCEMENT || undefined,
        wanted: () => false,
        message: () => {
          for (const listener of this.#announced) listener();
          void this.refresh();
        },
        read: () => true,
      });
      this.#subscription = { url, socket };
    } catch (error) {
      this.#options.logger.warn({ err: error, url }, 'the ZMQ address of the node cannot be used; the tip is polled');
    }
  }
}
