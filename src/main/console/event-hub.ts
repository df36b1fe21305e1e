import type { LiveEvent, Snapshot } from '../../contract/index.ts';
import type { Events } from '../ports.ts';

/** Events a subscriber may be behind before it is given a fresh snapshot instead of the backlog. */
const DEFAULT_QUEUE_LIMIT = 1_000;

/** The form in which the contract's transports take a stream. */
export type LiveStream = AsyncIteratorObject<LiveEvent, undefined, void>;

type TakeSnapshot = () => Snapshot | Promise<Snapshot>;

/** Hands every published event to every subscriber. A subscriber that reads slowly costs a bounded amount of memory. */
export class EventHub implements Events {
  readonly #subscriptions = new Set<Subscription>();
  readonly #queueLimit: number;

  constructor(options: { queueLimit?: number } = {}) {
    this.#queueLimit = options.queueLimit ?? DEFAULT_QUEUE_LIMIT;
  }

  /** How many subscribers there are. */
  get size(): number {
    return this.#subscriptions.size;
  }

  publish(event: LiveEvent): void {
    for (const subscription of this.#subscriptions) subscription.push(event);
  }

  /**
   * Yields a snapshot, then every event published since it was begun, in order and without a gap. An event may tell again what the
   * snapshot already holds; since events carry whole values, applying it changes nothing.
   * @param snapshot taken at the first read, and again whenever the subscriber fell too far behind
   * @param signal ends the subscription
   */
  subscribe(snapshot: TakeSnapshot, signal?: AbortSignal): LiveStream {
    const subscription = new Subscription(snapshot, this.#queueLimit, () => {
      this.#subscriptions.delete(subscription);
      signal?.removeEventListener('abort', subscription.close);
    });
    if (signal?.aborted) {
      subscription.close();
      return subscription;
    }
    this.#subscriptions.add(subscription);
    signal?.addEventListener('abort', subscription.close, { once: true });
    return subscription;
  }

  /** Ends every subscription. */
  close(): void {
    for (const subscription of [...this.#subscriptions]) subscription.close();
  }
}

/** Written by hand because an async generator cannot be ended while it waits for its next value. */
class Subscription implements LiveStream {
  readonly #takeSnapshot: TakeSnapshot;
  readonly #limit: number;
  readonly #onClose: () => void;
  #queue: LiveEvent[] = [];
  /** The next read takes a snapshot; until it begins, events are contained in it and need no place in the queue. */
  #stale = true;
  #closed = false;
  #wake: () => void = () => {};

  constructor(takeSnapshot: TakeSnapshot, limit: number, onClose: () => void) {
    this.#takeSnapshot = takeSnapshot;
    this.#limit = limit;
    this.#onClose = onClose;
  }

  push(event: LiveEvent): void {
    if (this.#stale) return;
    if (this.#queue.length >= this.#limit) {
      this.#queue = [];
      this.#stale = true;
    } else {
      this.#queue.push(event);
    }
    this.#wake();
  }

  readonly close = (): void => {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue = [];
    this.#onClose();
    this.#wake();
  };

  async next(): Promise<IteratorResult<LiveEvent, undefined>> {
    while (!this.#closed) {
      if (this.#stale) {
        this.#stale = false;
        const snapshot = await this.#snapshotOrClose();
        if (this.#closed) break;
        return { done: false, value: { type: 'snapshot', snapshot } };
      }
      const event = this.#queue.shift();
      if (event !== undefined) return { done: false, value: event };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<LiveEvent, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  async #snapshotOrClose(): Promise<Snapshot> {
    try {
      return await this.#takeSnapshot();
    } catch (error) {
      this.close();
      throw error;
    }
  }
}
