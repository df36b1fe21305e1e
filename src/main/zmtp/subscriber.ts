import type { Socket } from 'node:net';
import { pause } from '../pause.ts';
import {
  COMMAND,
  COMMANDS_PER_TURN,
  checkReady,
  type FrameHead,
  GREETING_LENGTH,
  greeting,
  MAX_COMMAND_LENGTH,
  MORE,
  pongTo,
  readCommand,
  readGreeting,
  readHead,
  readyOf,
  ZmtpError,
} from './frames.ts';
import { type BacklogLimit, Outbox } from './outbox.ts';

/** Most topic prefixes of one subscriber. */
const MAX_SUBSCRIPTIONS = 1_000;
/** Topic names are shorter, so a longer prefix matches nothing and is ignored. */
const MAX_PREFIX_LENGTH = 255;
/** Unit of the time limit in a PING: tenths of a second. */
const TTL_MS = 100;

export interface SubscriberEvents {
  changed(subscriber: Subscriber): void;
  closed(subscriber: Subscriber): void;
}

/** One subscriber's connection to a publisher: handshake, subscriptions, heartbeats. A protocol error ends only this connection. */
export class Subscriber {
  readonly outbox: Outbox;
  readonly #socket: Socket;
  readonly #events: SubscriberEvents;
  readonly #subscriptions = new Set<string>();
  #wanted: number | undefined;
  readonly #frame: FrameHead = { flags: 0, length: 0, size: 0 };
  readonly #since = performance.now();
  /** Received bytes that were not read yet. */
  #unread: Buffer = Buffer.alloc(0);
  #stage: 'greeting' | 'ready' | 'open' = 'greeting';
  /** Whether the last frame announced that its message continues. */
  #inMessage = false;
  /** Commands of the current read. */
  #commands = 0;
  #receivedAt = this.#since;
  /** Milliseconds of silence after which the subscriber asked to be disconnected; 0 for never. */
  #silenceMs = 0;

  constructor(socket: Socket, limit: BacklogLimit, events: SubscriberEvents) {
    this.#socket = socket;
    this.#events = events;
    this.outbox = new Outbox(socket, limit);
    socket.on('error', () => {});
    socket.on('close', () => events.closed(this));
    // a subscriber that ends its side wants no more messages
    socket.on('end', () => socket.destroy());
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    this.outbox.sendBytes(greeting);
  }

  /** Whether the handshake is complete, so that messages may be sent. */
  get open(): boolean {
    return this.#stage === 'open';
  }

  /** @returns one bit per topic that the subscriptions match by name or prefix */
  wantedOf(topics: readonly string[]): number {
    this.#wanted ??= topics.reduce((bits, topic, at) => bits | (this.#wants(topic) ? 1 << at : 0), 0);
    return this.#wanted;
  }

  #wants(topic: string): boolean {
    for (const beginning of this.#subscriptions) if (topic.startsWith(beginning)) return true;
    return false;
  }

  /** Ends the connection if a time limit has passed. @param handshakeMs limit of the handshake */
  checkTime(now: number, handshakeMs: number): void {
    const late = this.open
      ? this.#silenceMs > 0 && now - this.#receivedAt > this.#silenceMs
      : now - this.#since > handshakeMs;
    if (late) this.destroy();
  }

  /** Ends the connection once all pending data is written. */
  end(): void {
    this.outbox.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#receivedAt = performance.now();
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    this.#commands = 0;
    try {
      while (!this.#socket.destroyed && this.#step());
    } catch (error) {
      if (!(error instanceof ZmtpError)) throw error;
      this.destroy();
    }
    const turn = pause();
    if (turn === undefined) return;
    this.#socket.pause();
    void turn.then(() => this.#socket.resume());
  }

  /** @returns false if more bytes are needed */
  #step(): boolean {
    if (this.#stage === 'greeting') {
      if (readGreeting(this.#unread) === undefined) return false;
      this.#pass(GREETING_LENGTH);
      this.#stage = 'ready';
      this.outbox.sendBytes(readyOf('PUB'));
      return true;
    }
    readHead(this.#unread, 0, this.#unread.length, MAX_COMMAND_LENGTH, this.#frame);
    const { flags, length, size } = this.#frame;
    if (size === 0 || this.#unread.length < size + length) return false;
    const body = this.#unread.subarray(size, size + length);
    this.#pass(size + length);
    this.#frameCame(flags, body);
    return true;
  }

  #pass(length: number): void {
    this.#unread = this.#unread.subarray(length);
  }

  #frameCame(flags: number, body: Buffer): void {
    if ((flags & COMMAND) !== 0) {
      if (this.#inMessage) throw new ZmtpError('a command within a message');
      this.#command(body);
      return;
    }
    if (!this.open) throw new ZmtpError('a message before the end of the handshake');
    const whole = !this.#inMessage && (flags & MORE) === 0;
    this.#inMessage = (flags & MORE) !== 0;
    // Subscriptions of ZMTP 3.0. A publisher ignores any other message.
    if (whole && body[0] === 1) this.#subscribe(body.toString('latin1', 1));
    else if (whole && body[0] === 0) this.#cancel(body.toString('latin1', 1));
  }

  #command(body: Buffer): void {
    const command = readCommand(body);
    if (this.#stage === 'ready') {
      checkReady(command, ['SUB', 'XSUB']);
      this.#stage = 'open';
      return;
    }
    const { name, data } = command;
    if (name === 'SUBSCRIBE') this.#subscribe(data.toString('latin1'));
    else if (name === 'CANCEL') this.#cancel(data.toString('latin1'));
    else if (name === 'PING') this.#answerPing(data);
    else if (name === 'ERROR') throw new ZmtpError('the subscriber sent an error');
  }

  /** Answers only a few heartbeats of a peer that floods or does not read, because pending answers take memory. */
  #answerPing(data: Buffer): void {
    const pong = pongTo(data);
    this.#silenceMs = data.readUInt16BE(0) * TTL_MS;
    this.#commands += 1;
    if (this.#commands <= COMMANDS_PER_TURN && this.outbox.backlog < MAX_COMMAND_LENGTH) this.outbox.sendBytes(pong);
  }

  #subscribe(beginning: string): void {
    if (beginning.length > MAX_PREFIX_LENGTH) return;
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) throw new ZmtpError('too many subscriptions');
    this.#subscriptions.add(beginning);
    this.#wanted = undefined;
    this.#events.changed(this);
  }

  #cancel(beginning: string): void {
    this.#subscriptions.delete(beginning);
    this.#wanted = undefined;
    this.#events.changed(this);
  }
}
