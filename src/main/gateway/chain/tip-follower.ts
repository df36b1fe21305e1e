import type { Logger } from 'pino';
import type { Tip } from '../../../contract/index.ts';
import { Rerun } from '../../async/rerun.ts';
import type { TipSource } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Endpoints } from '../../ports/settings.ts';
import { Subscription } from '../../zmtp/index.ts';
import type { ChainView } from './chain-view.ts';

/** Polling interval. ZMQ messages only make the next poll earlier, so a lost one delays the tip by no more than this. */
const POLL_MS = 5_000;
/** The same after a probe of the upstreams that told their best blocks: the next probe comes before. */
const PROBED_POLL_MS = 10_000;
const ANNOUNCEMENT = 'hashblock';

export interface TipFollowerOptions {
  /** Decides which block is the tip, for the wallet and for clients of the gateway alike. */
  chain: Pick<ChainView, 'refresh' | 'timeOf' | 'probed'>;
  endpoints: () => Endpoints;
  clock: Clock;
  logger: Logger;
  /** Calls the listener when earlier answers may belong to another chain. @returns a function that removes it */
  onUpstreamsChanged?: (listener: () => void) => () => void;
  /** Calls the listener with the best blocks of the upstreams whenever they were probed. @returns a function that removes it */
  onProbed?: (listener: (best: readonly string[]) => void) => () => void;
}

/**
 * Follows the tip of the main chain: polls every five seconds, and at once when the node's ZMQ announces a block. Where the upstreams are probed
 * as often, their best blocks are known from that, and it asks only when one of them is not the tip. It survives any number of restarts of the
 * node. While all nodes that answer are behind the known tip, the tip stays.
 */
export class TipFollower implements TipSource {
  readonly #options: TipFollowerOptions;
  readonly #listeners = new Set<(tip: Tip) => void>();
  readonly #announced = new Set<() => void>();
  readonly #forgotten = new Set<() => void>();
  #tip: Tip | null = null;
  #asks: Rerun | undefined;
  #reachable = true;
  #cancelPoll: () => void = () => {};
  #removeListener: () => void = () => {};
  #removeProbed: () => void = () => {};
  #pause = POLL_MS;
  /** How often the tip was forgotten. Answers to calls sent before that are ignored. */
  #resets = 0;
  #subscription: { url: string; socket: Subscription<true> } | undefined;

  constructor(options: TipFollowerOptions) {
    this.#options = options;
  }

  /** The last known tip, even while the node is unreachable; null until the first answer. */
  current(): Tip | null {
    return this.#tip;
  }

  /** Calls `listener` once for each new tip, not for the current one. @returns a function that removes it */
  onTip(listener: (tip: Tip) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `listener` when the tip may belong to another chain, so there is none now. @returns a function that removes it */
  onForgotten(listener: () => void): () => void {
    this.#forgotten.add(listener);
    return () => this.#forgotten.delete(listener);
  }

  /** Calls `listener` whenever the node's ZMQ announces a block, before the block is looked up. @returns a function that removes it */
  onAnnouncement(listener: () => void): () => void {
    this.#announced.add(listener);
    return () => this.#announced.delete(listener);
  }

  /** Returns at once. The first tip comes when the node answers. */
  start(): void {
    if (this.#asks !== undefined) return;
    const asks = new Rerun({
      work: async () => {
        await this.#ask();
        if (!this.#reachable) this.#options.logger.info('the node is reachable again');
        this.#reachable = true;
      },
      onError: (error) => {
        if (this.#asks !== asks) return;
        if (this.#reachable) this.#options.logger.warn({ err: error }, 'the tip cannot be read from the node');
        this.#reachable = false;
      },
    });
    this.#asks = asks;
    this.#removeListener = this.#options.onUpstreamsChanged?.(() => this.#forget()) ?? (() => {});
    this.#removeProbed = this.#options.onProbed?.((best) => this.#probed(best)) ?? (() => {});
    this.#poll();
  }

  async stop(): Promise<void> {
    void this.#asks?.stop();
    this.#asks = undefined;
    this.#cancelPoll();
    this.#removeListener();
    this.#removeProbed();
    const subscription = this.#subscription;
    this.#subscription = undefined;
    subscription?.socket.close();
  }

  /** Asks the node now, for a caller who knows that its tip has moved. Resolves when all listeners have been called. */
  async refresh(): Promise<void> {
    await this.#asks?.wake();
  }

  #poll(): void {
    const asks = this.#asks;
    if (asks === undefined) return;
    this.#followZmq();
    this.#pause = POLL_MS;
    void asks.wake().then(() => {
      if (this.#asks === asks) this.#pollLater();
    });
  }

  #pollLater(): void {
    this.#cancelPoll();
    this.#cancelPoll = this.#options.clock.after(this.#pause, () => this.#poll());
  }

  #probed(best: readonly string[]): void {
    if (best.length === 0) return;
    this.#followZmq();
    this.#pause = PROBED_POLL_MS;
    this.#pollLater();
    if (best.every((hash) => hash === this.#tip?.hash)) this.#options.chain.probed();
    else void this.refresh();
  }

  async #ask(): Promise<void> {
    const { chain } = this.#options;
    const asks = this.#asks;
    const resets = this.#resets;
    const { hash, height } = await chain.refresh();
    if (hash === this.#tip?.hash) return;
    const tip: Tip = { hash, height, time: await chain.timeOf({ hash, height }) };
    if (asks !== this.#asks || resets !== this.#resets) return;
    this.#tip = tip;
    for (const listener of this.#listeners) {
      try {
        listener(tip);
      } catch (error) {
        this.#options.logger.error({ err: error }, 'a listener for the tip failed');
      }
    }
  }

  #forget(): void {
    this.#resets += 1;
    this.#tip = null;
    for (const listener of this.#forgotten) listener();
    void this.refresh();
  }

  /** Connects to the node's ZMQ, and reconnects when its address changes. */
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
