import { createServer, type Server } from 'node:net';
import type { Memory, Piece } from './memory.ts';
import { BacklogLimit } from './outbox.ts';
import { Subscriber } from './subscriber.ts';

const HANDSHAKE_MS = 10_000;
const SWEEP_MS = 1_000;
const MOST_CONNECTIONS = 1_000;
/** How long what waits for subscribers may take once the port closes. */
const LINGER_MS = 200;
/** A subscriber that vanished silently is noticed by the system after this and some seconds more. */
const KEEP_ALIVE_MS = 30_000;

export interface PublisherOptions {
  /** At most 31. They are told apart by their place in this list. */
  readonly topics: readonly string[];
  /** Milliseconds a handshake may take; 10 seconds. */
  readonly handshakeMs?: number;
  /** Connections at once; 1,000. One more replaces the oldest that subscribed to no topic; where there is none, it is closed. */
  readonly mostConnections?: number;
  /** Bytes that may wait for all subscribers together; 1 GiB. */
  readonly backlogBytes?: number;
}

/** Subscribers that want the same topics. */
interface Audience {
  /** A bit for each topic. */
  readonly wants: number;
  readonly subscribers: Subscriber[];
  /** Messages that lie behind one another in memory and are sent at once. */
  memory: Memory | undefined;
  start: number;
  end: number;
  messages: number;
}

/**
 * A PUB socket of ZMTP 3.0 and 3.1 on TCP. A subscriber gets whole messages, in the order in which they were published; one that does not
 * keep up misses messages, and it alone.
 */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #servers: Server[] = [];
  readonly #subscribers = new Set<Subscriber>();
  readonly #limit: BacklogLimit;
  /** Made when it is needed, and anew when a subscriber comes, goes or changes its mind. */
  #audiences: Audience[] | undefined;
  #wanted = 0;
  #droppedBefore = 0;
  #sweep: NodeJS.Timeout | undefined;
  #closed = false;

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

  /** Subscribers whose handshake is done. */
  get subscribers(): number {
    let open = 0;
    for (const subscriber of this.#subscribers) if (subscriber.open) open += 1;
    return open;
  }

  /** Messages that were dropped for subscribers that did not keep up, counted once for each of them. */
  get dropped(): number {
    let dropped = this.#droppedBefore;
    for (const { outbox } of this.#subscribers) dropped += outbox.dropped;
    return dropped;
  }

  /** Bytes that wait for subscribers. */
  get backlog(): number {
    let bytes = 0;
    for (const { outbox } of this.#subscribers) bytes += outbox.backlog;
    return bytes;
  }

  /** Whether something waits for a subscriber that the system did not take at once. */
  get lags(): boolean {
    return this.#limit.lagging > 0;
  }

  /** Whether anybody subscribed to the topic. @param topic its place in the list of topics */
  isWanted(topic: number): boolean {
    if (this.#audiences === undefined) this.#group();
    return (this.#wanted & (1 << topic)) !== 0;
  }

  /** Publishes a message that lies in one memory. `flush` must follow before the memory is used anew. */
  append(topic: number, memory: Memory, start: number, end: number): void {
    for (const audience of this.#audiences ?? this.#group()) {
      if ((audience.wants & (1 << topic)) === 0) continue;
      if (audience.memory !== memory || audience.end !== start) {
        flush(audience);
        audience.memory = memory;
        audience.start = start;
      }
      audience.end = end;
      audience.messages += 1;
    }
  }

  /** Publishes a message that lies in several places. Their memory is held for as long as that takes. */
  publish(topic: number, pieces: readonly Piece[]): void {
    for (const audience of this.#audiences ?? this.#group()) {
      if ((audience.wants & (1 << topic)) === 0) continue;
      flush(audience);
      for (const { outbox } of audience.subscribers) outbox.send(pieces, 1);
    }
  }

  /** Sends what was appended. */
  flush(): void {
    for (const audience of this.#audiences ?? []) flush(audience);
  }

  /** Frees the port, and ends the connections with what waits for them, or after a fifth of a second. */
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

  /** Whether one more connection may come. Where all places are taken, the oldest connection that waits for no topic loses its own. */
  #hasRoom(): boolean {
    if (this.#subscribers.size < (this.#options.mostConnections ?? MOST_CONNECTIONS)) return true;
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
    this.#audiences = undefined;
  }

  #group(): Audience[] {
    const groups = new Map<number, Audience>();
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
    this.#audiences = [...groups.values()];
    return this.#audiences;
  }
}

function flush(audience: Audience): void {
  const { memory, start, end, messages } = audience;
  if (memory === undefined) return;
  audience.memory = undefined;
  audience.messages = 0;
  const pieces = [{ memory, start, end }];
  for (const { outbox } of audience.subscribers) outbox.send(pieces, messages);
}
