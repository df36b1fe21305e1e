import type { Socket } from 'node:net';
import { type Memory, type Piece, pieceOf } from './memory.ts';

/** Bytes that may wait for all slow subscribers together. */
const BACKLOG_BYTES = 2 ** 30;
/** One subscriber may use at most this fraction (1/4) of it. */
const SHARES = 4;
/** Bytes of the backlog written at a time. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Bytes. Shorter pieces of the backlog are copied, so that they do not hold a 256 KiB buffer. */
const COPIED_BYTES = 16 * 1024;
const BLOCK_BYTES = 32 * 1024;

/** The backlog limit that the subscribers of one publisher share. */
export class BacklogLimit {
  readonly #bytes: number;
  /** Number of subscribers with a backlog. */
  lagging = 0;

  /** @param bytes that may wait for all subscribers together */
  constructor(bytes = BACKLOG_BYTES) {
    this.#bytes = bytes;
  }

  /** Bytes that may wait for one subscriber before messages are dropped for it. */
  get each(): number {
    return this.#bytes / Math.max(SHARES, this.lagging);
  }
}

/**
 * Writes complete messages to one subscriber, and queues what its socket does not take at once. Above the limit, further messages are
 * dropped as a whole. The limit is checked before a message, so the backlog may exceed it by one message.
 */
export class Outbox {
  readonly #socket: Socket;
  readonly #limit: BacklogLimit;
  /** Passed to the socket, but not written yet. */
  #inFlight: Memory[] = [];
  #waiting: Piece[] = [];
  #waitingBytes = 0;
  /** Block that short pieces are copied into. */
  #block: Buffer | undefined;
  #blockFilled = 0;
  #lags = false;
  #ending = false;
  /** Number of dropped messages. */
  dropped = 0;

  constructor(socket: Socket, limit: BacklogLimit) {
    this.#socket = socket;
    this.#limit = limit;
    socket.once('close', () => this.#close());
  }

  /** Bytes not sent yet. */
  get backlog(): number {
    return this.#waitingBytes + this.#socket.writableLength;
  }

  /**
   * Sends complete messages, and holds their memory until they are sent.
   * @param messages number of messages in the pieces, for the count of dropped ones
   */
  send(pieces: readonly Piece[], messages: number): void {
    if (!this.#socket.writable || this.#ending) return;
    if (this.backlog > this.#limit.each) {
      this.dropped += messages;
      return;
    }
    if (this.#lags) for (const piece of pieces) this.#wait(piece);
    else this.#write(pieces);
  }

  /** Sends a buffer that nobody changes afterwards. */
  sendBytes(bytes: Buffer): void {
    this.send([pieceOf(bytes)], 0);
  }

  /** Ends the connection once everything is written. */
  end(): void {
    this.#ending = true;
    if (!this.#lags) this.#socket.end();
  }

  #write(pieces: readonly Piece[]): void {
    const socket = this.#socket;
    if (pieces.length > 1) socket.cork();
    for (const { memory, start, end } of pieces) socket.write(memory.bytes.subarray(start, end), this.#onWritten);
    if (pieces.length > 1) socket.uncork();
    // The system has taken all of it, so the memory may be reused.
    if (socket.writableLength === 0) return;
    for (const { memory } of pieces) this.#inFlight.push(memory.hold());
    if (!this.#lags) this.#limit.lagging += 1;
    this.#lags = true;
  }

  readonly #onWritten = (): void => {
    if (!this.#lags || this.#socket.writableLength > 0 || this.#socket.destroyed) return;
    for (const memory of this.#inFlight.splice(0)) memory.release();
    let bytes = 0;
    let count = 0;
    while (count < this.#waiting.length && bytes < BATCH_BYTES) {
      const { start, end } = this.#waiting[count] as Piece;
      bytes += end - start;
      count += 1;
    }
    if (count === 0) {
      this.#lags = false;
      this.#limit.lagging -= 1;
      if (this.#ending) this.#socket.end();
      return;
    }
    const batch = this.#waiting.splice(0, count);
    this.#waitingBytes -= bytes;
    if (this.#waiting.length === 0) this.#block = undefined;
    this.#write(batch);
    for (const { memory } of batch) memory.release();
  };

  #wait(piece: Piece): void {
    const { memory, start, end } = piece;
    const length = end - start;
    this.#waitingBytes += length;
    if (length > COPIED_BYTES) {
      memory.hold();
      this.#waiting.push(piece);
      this.#block = undefined;
      return;
    }
    if (this.#block === undefined || this.#block.length - this.#blockFilled < length) {
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.#blockFilled = 0;
      this.#waiting.push({ ...pieceOf(this.#block), end: 0 });
      (this.#waiting.at(-1) as Piece).memory.hold();
    }
    memory.bytes.copy(this.#block, this.#blockFilled, start, end);
    this.#blockFilled += length;
    const last = this.#waiting.length - 1;
    this.#waiting[last] = { ...(this.#waiting[last] as Piece), end: this.#blockFilled };
  }

  #close(): void {
    for (const memory of this.#inFlight.splice(0)) memory.release();
    for (const { memory } of this.#waiting.splice(0)) memory.release();
    this.#waitingBytes = 0;
    if (this.#lags) this.#limit.lagging -= 1;
    this.#lags = false;
  }
}
