import type { LiveEvent, Snapshot } from '../../contract/index.ts';
import { PullStream } from '../infrastructure/pull-stream.ts';
import type { Events } from '../ports/events.ts';

/** Events a subscriber may be behind before it is given a fresh snapshot instead of the backlog. */
const DEFAULT_QUEUE_LIMIT = 1_000;

type TakeSnapshot = () => Snapshot | Promise<Snapshot>;

/** Passes every published event to every subscriber. A slow subscriber uses a bounded amount of memory. */
export class EventHub implements Events {
  readonly #subscriptions = new Set<Subscription>();
  readonly #queueLimit: number;
  /** Called with the number of subscribers when it changes. */
  onSize: (size: number) => void = () => undefined;
  /** Called with each event. */
  onEvent: (event: LiveEvent) => void = () => undefined;

  constructor(options: { queueLimit?: number } = {}) {
    this.#queueLimit = options.queueLimit ?? DEFAULT_QUEUE_LIMIT;
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  publish(event: LiveEvent): void {
    for (const subscription of this.#subscriptions) subscription.push(event);
    this.onEvent(event);
  }

  /**
   * Yields a snapshot, then every event published since the snapshot was begun, in order and without a gap. An event may repeat what the
   * snapshot already contains; since events carry complete values, applying it changes nothing.
   * @param snapshot taken at the first read, and again whenever the subscriber fell too far behind
   * @param signal ends the subscription
   */
  subscribe(snapshot: TakeSnapshot, signal?: AbortSignal): PullStream<LiveEvent> {
    const subscription = new Subscription(snapshot, this.#queueLimit, signal, () => {
      if (this.#subscriptions.delete(subscription)) this.onSize(this.size);
    });
    if (!subscription.stream.closed) {
      this.#subscriptions.add(subscription);
      this.onSize(this.size);
    }
    return subscription.stream;
  }

  /** Ends every subscription. */
  close(): void {
    for (const { stream } of [...this.#subscriptions]) stream.close();
  }
}

class Subscription {
  readonly stream: PullStream<LiveEvent>;
  readonly #takeSnapshot: TakeSnapshot;
  readonly #limit: number;
  #queue: LiveEvent[] = [];
  /** The next read takes a snapshot; until it begins, events are contained in it and need no place in the queue. */
  #stale = true;

  constructor(takeSnapshot: TakeSnapshot, limit: number, signal: AbortSignal | undefined, onClose: () => void) {
    this.#takeSnapshot = takeSnapshot;
    this.#limit = limit;
    this.stream = new PullStream({ take: () => this.#take(), onClose, signal });
  }

  push(event: LiveEvent): void {
    if (this.#stale) return;
    if (this.#queue.length >= this.#limit) {
      this.#queue = [];
      this.#stale = true;
    } else {
      this.#queue.push(event);
    }
    this.stream.wake();
  }

  async #take(): Promise<LiveEvent | undefined> {
    if (!this.#stale) return this.#queue.shift();
    this.#stale = false;
    return { type: 'snapshot', snapshot: await this.#takeSnapshot() };
  }
}
