import { createServer, type Server } from 'node:net';
import type { Memory, Piece } from './memory.ts';
import { BacklogLimit } from './outbox.ts';
import { Subscriber } from './subscriber.ts';

const HANDSHAKE_MS = 10_000;
const SWEEP_MS = 1_000;
const MAX_CONNECTIONS = 1_000;
/** Time to send pending messages after the port has closed. */
const LINGER_MS = 200;
/** The system notices a vanished subscriber after this time and a few seconds more. */
const KEEP_ALIVE_MS = 30_000;

export interface PublisherOptions {
  /** At most 31. A topic is identified by its index in this list. */
  readonly topics: readonly string[];
  /** Milliseconds; 10,000 by default. */
  readonly handshakeMs?: number;
  /** 1,000 by default. One more replaces the oldest connection without a subscription; if there is none, the new one is closed. */
  readonly maxConnections?: number;
  /** Bytes that may wait for all subscribers together; 1 GiB by default. */
  readonly backlogBytes?: number;
}

/** Subscribers with the same topics. */
interface SubscriberGroup {
  /** One bit per topic. */
  readonly wants: number;
  readonly subscribers: Subscriber[];
  /** Adjacent messages in memory, which are sent in one write. */
  memory: Memory | undefined;
  start: number;
  end: number;
  messages: number;
}

/**
 * A PUB socket of ZMTP 3.0 and 3.1 on TCP. A subscriber gets complete messages, in the order they were published. One that does not keep up
 * misses messages; the others do not.
 */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #servers: Server[] = [];
  readonly #subscribers = new Set<Subscriber>();
  readonly #limit: BacklogLimit;
  /** Built on demand; discarded when a subscriber connects, leaves or changes its topics. */
  #groups: SubscriberGroup[] | undefined;
  #wanted = 0;
  #droppedBefore = 0;
  #sweep: NodeJS.Timeout | undefined;
  #closed = false;
  /** Called when a subscriber connects, leaves or changes its topics. */
  onChange: () => void = () => undefined;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#limit = new BacklogLimit(options.backlogBytes);
  }

  /**
   * Listens on one more address.
   * @param port 0 for any
   * @returns the port
   * @throws the system's error, as `EADDRINUSE`
   */
  async listen(host: string, port: number): Promise<number> {
    const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }, (socket) => {
      if (this.#closed || !this.#hasRoom()) {
        socket.destroy();
        return;
      }
      this.#subscribers.add(
        new Subscriber(socket, this.#limit, {
          changed: () => this.#regroup(),
          closed: (subscriber) => {
            this.#subscribers.delete(subscriber);
            this.#droppedBefore += subscriber.outbox.dropped;
            this.#regroup();
          },
        }),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, ipv6Only: host === '::1' }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    server.on('error', () => {});
    this.#servers.push(server);
    this.#sweep ??= setInterval(
      () => {
        const now = performance.now();
        for (const one of this.#subscribers) one.checkTime(now, this.#options.handshakeMs ?? HANDSHAKE_MS);
      },
      Math.min(SWEEP_MS, this.#options.handshakeMs ?? SWEEP_MS),
    ).unref();
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /** Number of subscribers that have completed the handshake. */
  get subscribers(): number {
    return [...this.#subscribers].filter(({ open }) => open).length;
  }

  /** Messages dropped for slow subscribers, counted once per subscriber. */
  get dropped(): number {
    return [...this.#subscribers].reduce((sum, { outbox }) => sum + outbox.dropped, this.#droppedBefore);
  }

  /** Bytes waiting for subscribers. */
  get backlog(): number {
    return [...this.#subscribers].reduce((sum, { outbox }) => sum + outbox.backlog, 0);
  }

  /** Whether any subscriber has data that its socket could not take at once. */
  get lags(): boolean {
    return this.#limit.lagging > 0;
  }

  /** Whether anybody subscribed to the topic. @param topic its index in the list of topics */
  isWanted(topic: number): boolean {
    if (this.#groups === undefined) this.#group();
    return (this.#wanted & (1 << topic)) !== 0;
  }

  /** Publishes a message in one memory. `flush` must follow before that memory is reused. */
  append(topic: number, memory: Memory, start: number, end: number): void {
    for (const group of this.#groups ?? this.#group()) {
      if ((group.wants & (1 << topic)) === 0) continue;
      if (group.memory !== memory || group.end !== start) {
        flush(group);
        group.memory = memory;
        group.start = start;
      }
      group.end = end;
      group.messages += 1;
    }
  }

  /** Publishes a message made of several pieces, and holds their memory until they are sent. */
  publish(topic: number, pieces: readonly Piece[]): void {
    for (const group of this.#groups ?? this.#group()) {
      if ((group.wants & (1 << topic)) === 0) continue;
      flush(group);
      for (const { outbox } of group.subscribers) outbox.send(pieces, 1);
    }
  }

  /** Sends the appended messages. */
  flush(): void {
    for (const group of this.#groups ?? []) flush(group);
  }

  /** Frees the port, and closes each connection when its pending messages are sent, or after 200 ms. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#sweep);
    this.flush();
    const servers = this.#servers.splice(0).map((server) => new Promise<void>((done) => server.close(() => done())));
    for (const subscriber of this.#subscribers) subscriber.end();
    const cut = setTimeout(() => {
      for (const subscriber of this.#subscribers) subscriber.destroy();
    }, LINGER_MS);
    await Promise.all(servers);
    clearTimeout(cut);
  }

  /** Whether one more connection is accepted. At the limit, the oldest connection without a subscription is closed. */
  #hasRoom(): boolean {
    if (this.#subscribers.size < (this.#options.maxConnections ?? MAX_CONNECTIONS)) return true;
    for (const subscriber of this.#subscribers) {
      if (subscriber.wantedOf(this.#options.topics) !== 0) continue;
      this.#subscribers.delete(subscriber);
      subscriber.destroy();
      return true;
    }
    return false;
  }

  #regroup(): void {
    this.flush();
    this.#groups = undefined;
    if (!this.#closed) this.onChange();
  }

  #group(): SubscriberGroup[] {
    const groups = new Map<number, SubscriberGroup>();
    this.#wanted = 0;
    for (const subscriber of this.#subscribers) {
      if (!subscriber.open) continue;
      const wants = subscriber.wantedOf(this.#options.topics);
      if (wants === 0) continue;
      this.#wanted |= wants;
      const group = groups.get(wants);
      if (group !== undefined) group.subscribers.push(subscriber);
      else groups.set(wants, { wants, subscribers: [subscriber], memory: undefined, start: 0, end: 0, messages: 0 });
    }
    this.#groups = [...groups.values()];
    return this.#groups;
  }
}

function flush(group: SubscriberGroup): void {
  const { memory, start, end, messages } = group;
  if (memory === undefined) return;
  group.memory = undefined;
  group.messages = 0;
  const pieces = [{ memory, start, end }];
  for (const { outbox } of group.subscribers) outbox.send(pieces, messages);
}
