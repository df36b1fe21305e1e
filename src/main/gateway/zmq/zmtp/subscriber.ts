import type { Socket } from 'node:net';
import { pause } from '../../../pause.ts';
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

/** Beginnings of topics that one subscriber may name. */
const MAX_SUBSCRIPTIONS = 1_000;
/** No topic has a longer name, so a longer beginning subscribes to nothing and is not kept. */
const MAX_PREFIX_LENGTH = 255;
/** A PING tells its time limit in tenths of a second. */
const TTL_MS = 100;

export interface SubscriberEvents {
  /** What the subscriber wants has changed. */
  changed(subscriber: Subscriber): void;
  closed(subscriber: Subscriber): void;
}

/** One subscriber's connection to a publisher: handshake, subscriptions, heartbeats. What it breaks ends this connection alone. */
export class Subscriber {
  readonly outbox: Outbox;
  readonly #socket: Socket;
  readonly #events: SubscriberEvents;
  readonly #subscriptions = new Set<string>();
  #wanted: number | undefined;
  readonly #frame: FrameHead = { flags: 0, length: 0, size: 0 };
  readonly #since = performance.now();
  /** What came and was not read yet. */
  #unread: Buffer = Buffer.alloc(0);
  #stage: 'greeting' | 'ready' | 'open' = 'greeting';
  /** Whether the frame before said that its message goes on. */
  #inMessage = false;
  /** Commands that came together. */
  #commands = 0;
  #heardAt = this.#since;
  /** Milliseconds of silence after which the subscriber itself wants to be given up; 0 for none. */
  #silenceMs = 0;

  constructor(socket: Socket, limit: BacklogLimit, events: SubscriberEvents) {
    this.#socket = socket;
    this.#events = events;
    this.outbox = new Outbox(socket, limit);
    socket.on('error', () => {});
    socket.on('close', () => events.closed(this));
    // who says nothing more wants nothing more
    socket.on('end', () => socket.destroy());
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    this.outbox.sendBytes(greeting);
  }

  /** Whether the handshake is done, so that messages may be sent. */
  get open(): boolean {
    return this.#stage === 'open';
  }

  /** @returns a bit for each of the topics that the subscriber named, or a beginning of it */
  wantedOf(topics: readonly string[]): number {
    this.#wanted ??= topics.reduce((bits, topic, at) => bits | (this.#wants(topic) ? 1 << at : 0), 0);
    return this.#wanted;
  }

  #wants(topic: string): boolean {
    for (const beginning of this.#subscriptions) if (topic.startsWith(beginning)) return true;
    return false;
  }

  /** Ends the connection where its time is up. @param handshakeMs a handshake may take */
  checkTime(now: number, handshakeMs: number): void {
    const late = this.open
      ? this.#silenceMs > 0 && now - this.#heardAt > this.#silenceMs
      : now - this.#since > handshakeMs;
    if (late) this.destroy();
  }

  /** Ends the connection once what was sent is written. */
  end(): void {
    this.outbox.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#heardAt = performance.now();
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

  /** @returns false where more bytes must come first */
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
      if (this.#inMessage) throw new ZmtpError('a command in the middle of a message');
      this.#command(body);
      return;
    }
    if (!this.open) throw new ZmtpError('a message before the handshake was done');
    const whole = !this.#inMessage && (flags & MORE) === 0;
    this.#inMessage = (flags & MORE) !== 0;
    // Subscriptions of ZMTP 3.0. Any other message means nothing to a publisher.
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
    else if (name === 'ERROR') throw new ZmtpError('the subscriber gives up');
  }

  /** Who floods us with heartbeats, or takes no answers, gets none beyond a few: they would pile up in our memory. */
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
