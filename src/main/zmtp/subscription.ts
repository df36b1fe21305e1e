import { connect, type Socket } from 'node:net';
import { pause } from '../pause.ts';
import {
  COMMAND,
  checkReady,
  commandOf,
  type FrameHead,
  frameHead,
  GREETING_LENGTH,
  greeting,
  MAX_COMMAND_LENGTH,
  ping,
  pongTo,
  readCommand,
  readGreeting,
  readHead,
  readyOf,
  ZmtpError,
} from './frames.ts';
import { MemoryPool } from './memory.ts';
import type { Message } from './message.ts';
import { MessageReader } from './message-reader.ts';

const HANDSHAKE_MS = 10_000;
const HEARTBEAT_MS = 5_000;
const KEEP_ALIVE_MS = 30_000;
const RECONNECT_MS = 100;
const RECONNECT_MAX_MS = 5_000;

export interface SubscriptionOptions<Topic> {
  /** `tcp://host:port`. */
  readonly address: string;
  /** Topic prefixes. */
  readonly topics: readonly string[];
  /** Reads a topic frame. @returns what identifies the topic in `message`; undefined to skip the message */
  readonly topicAt: (bytes: Buffer, start: number, end: number) => Topic | undefined;
  /** Whether a message that arrives in several pieces is buffered until it is complete. */
  readonly wanted: (topic: Topic, bodyLength: number) => boolean;
  /** Receives a complete message. Its memory is reused after `read` was called, unless the message is held. */
  readonly message: (message: Message<Topic>) => void;
  /** Called after all messages of one read. @returns false to stop reading until `resume` */
  readonly read: () => boolean;
  /** Whether to let other connections run before reading more. */
  readonly yields?: () => boolean;
  /** Called when a connection is established and the topics are subscribed. */
  readonly opened?: () => void;
  /** Called when the connection has ended. It will be made again. */
  readonly lost?: (reason: Error) => void;
  /** Where to take memory from; a pool of its own by default. */
  readonly pool?: MemoryPool;
  /** Milliseconds between heartbeats; 5,000 by default. */
  readonly heartbeatMs?: number;
  /** Milliseconds for connection and handshake; 10,000 by default. */
  readonly handshakeMs?: number;
}

interface PublisherAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads `tcp://host:port`. @returns undefined if it is not such an address */
function parsePublisherAddress(address: string): PublisherAddress | undefined {
  const match = /^tcp:\/\/(?:\[([0-9a-f:.%]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(address);
  const port = Number(match?.[3]);
  if (match === null || port < 1 || port > 65_535) return undefined;
  return { host: (match[1] ?? match[2]) as string, port };
}

/**
 * A SUB socket of ZMTP 3.0 and 3.1 on TCP, to one publisher, for messages of three frames of which the last is a sequence number. It
 * connects on its own, and reconnects with increasing delays whenever the connection ends, goes silent or breaks the protocol.
 */
export class Subscription<Topic> {
  readonly #options: SubscriptionOptions<Topic>;
  readonly #target: PublisherAddress;
  readonly #pool: MemoryPool;
  #connection: Connection<Topic> | undefined;
  #pause = RECONNECT_MS;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @throws ZmtpError if the address is invalid */
  constructor(options: SubscriptionOptions<Topic>) {
    const target = parsePublisherAddress(options.address);
    if (target === undefined) throw new ZmtpError('it must be tcp://host:port');
    this.#options = options;
    this.#target = target;
    this.#pool = options.pool ?? new MemoryPool();
    this.#connect();
  }

  /** Whether the publisher is connected, so that its messages arrive. */
  get connected(): boolean {
    return this.#connection?.open === true;
  }

  /** Continues reading after `read` returned false. */
  resume(): void {
    this.#connection?.resume();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#connection?.destroy(new ZmtpError('closed'));
  }

  #connect(): void {
    const connection = new Connection(this.#options, this.#target, this.#pool, {
      opened: () => {
        this.#pause = RECONNECT_MS;
        this.#options.opened?.();
      },
      closed: (reason) => {
        if (this.#connection !== connection || this.#closed) return;
        this.#options.lost?.(reason);
        this.#timer = setTimeout(() => this.#connect(), this.#pause);
        this.#pause = Math.min(this.#pause * 2, RECONNECT_MAX_MS);
      },
    });
    this.#connection = connection;
  }
}

class Connection<Topic> {
  readonly #options: SubscriptionOptions<Topic>;
  readonly #events: { opened: () => void; closed: (reason: Error) => void };
  readonly #socket: Socket;
  readonly #reader: MessageReader<Topic>;
  readonly #frame: FrameHead = { flags: 0, length: 0, size: 0 };
  #stage: 'greeting' | 'ready' | 'open' = 'greeting';
  #minor = 0;
  #reason: Error | undefined;
  #timer: NodeJS.Timeout;
  #received = true;
  /** Whether the publisher has ever answered a heartbeat. ZMTP 3.0 does not require that. */
  #answersPings = false;
  #paused = false;

  constructor(
    options: SubscriptionOptions<Topic>,
    { host, port }: PublisherAddress,
    pool: MemoryPool,
    events: { opened: () => void; closed: (reason: Error) => void },
  ) {
    this.#options = options;
    this.#events = events;
    const reader = new MessageReader<Topic>(pool, { ...options, command: (body) => this.#command(body) });
    this.#reader = reader;
    const { handshakeMs = HANDSHAKE_MS } = options;
    this.#timer = setTimeout(() => this.destroy(new ZmtpError('the handshake takes too long')), handshakeMs);
    this.#socket = connect({
      host,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      onread: { buffer: () => reader.room(), callback: (length) => this.#take(length) },
    });
    this.#socket.on('error', (error) => {
      this.#reason ??= error;
    });
    this.#socket.on('close', () => {
      clearTimeout(this.#timer);
      reader.end();
      events.closed(this.#reason ?? new ZmtpError('the publisher ended the connection'));
    });
    this.#socket.write(greeting);
  }

  get open(): boolean {
    return this.#stage === 'open' && !this.#socket.destroyed;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#received = true;
    this.#socket.resume();
  }

  destroy(reason: Error): void {
    this.#reason ??= reason;
    this.#socket.destroy();
  }

  #take(length: number): boolean {
    this.#received = true;
    this.#reader.fill(length);
    let flooded = false;
    try {
      if (this.#stage !== 'open' && !this.#shakeHands()) return true;
      flooded = !this.#reader.read();
    } catch (error) {
      this.destroy(error as Error);
    }
    this.#paused = !this.#options.read();
    if (this.#paused) return false;
    // the system delivers megabytes in one turn, so a flood would delay all other connections
    const turn = pause();
    if (turn === undefined && !flooded && this.#options.yields?.() !== true) return true;
    const goOn = (): void => {
      if (!this.#paused) this.#socket.resume();
    };
    if (turn === undefined) setImmediate(goOn);
    else void turn.then(goOn);
    return false;
  }

  /** @returns whether the handshake is complete */
  #shakeHands(): boolean {
    if (this.#stage === 'greeting') {
      const minor = readGreeting(this.#reader.unread);
      if (minor === undefined) return false;
      this.#minor = minor;
      this.#reader.pass(GREETING_LENGTH);
      this.#stage = 'ready';
      this.#socket.write(readyOf('SUB'));
    }
    const { unread } = this.#reader;
    readHead(unread, 0, unread.length, MAX_COMMAND_LENGTH, this.#frame);
    const { flags, length, size } = this.#frame;
    if (size > 0 && (flags & COMMAND) === 0) throw new ZmtpError('a message before the end of the handshake');
    if (size === 0 || unread.length < size + length) return false;
    checkReady(readCommand(unread.subarray(size, size + length)), ['PUB', 'XPUB']);
    this.#reader.pass(size + length);
    this.#stage = 'open';
    this.#subscribe();
    this.#beat();
    this.#events.opened();
    return true;
  }

  #subscribe(): void {
    const wire = this.#options.topics.map((topic) => {
      const name = Buffer.from(topic, 'latin1');
      if (this.#minor > 0) return commandOf('SUBSCRIBE', name);
      return Buffer.concat([frameHead(name.length + 1, 0), Buffer.from([1]), name]);
    });
    this.#socket.write(Buffer.concat(wire));
  }

  #command(body: Buffer): void {
    const { name, data } = readCommand(body);
    if (name === 'PING' && this.#socket.writableLength < MAX_COMMAND_LENGTH) this.#socket.write(pongTo(data));
    else if (name === 'PONG') this.#answersPings = true;
    else if (name === 'ERROR') throw new ZmtpError('the publisher sent an error');
  }

  /** Notices a connection that died silently, for example while the machine slept, and makes a new one. */
  #beat(): void {
    clearTimeout(this.#timer);
    this.#received = true;
    this.#timer = setInterval(() => {
      if (this.#paused) return;
      // after a blocked event loop the answer may be in the socket already; it is read before this runs
      setImmediate(() => {
        if (this.#socket.destroyed || this.#paused) return;
        if (!this.#received && this.#answersPings) {
          this.destroy(new ZmtpError('the publisher does not answer heartbeats'));
          return;
        }
        this.#received = false;
        this.#socket.write(ping);
      });
    }, this.#options.heartbeatMs ?? HEARTBEAT_MS);
  }
}
