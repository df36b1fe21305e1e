import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { AnswerBody } from './response-body.ts';
import { AnswerFormError, type AnswerHead, readAnswerHead } from './response-head.ts';

const READ_BYTES = 64 * 1024;
/** A head up to this size is read where it stands; a longer one, or one that comes in pieces, is gathered. */
const SHORT_HEAD = 2_048;
const LONGEST_HEAD = 64 * 1024;

/** The upstream ended the connection before the answer was there. */
export class BrokenOffError extends Error {}

/** Hold on the answer while it comes. */
export interface Tap {
  readonly paused: boolean;
  pause(): void;
  resume(): void;
  /** Gives the answer up, and with it the connection. */
  abort(reason: Error): void;
}

/** What hears of one answer: its head, its pieces and its end, or at any time before that it failed. */
export interface AnswerHandler {
  onResponseStart(tap: Tap, status: number, headers: IncomingHttpHeaders): void;
  onResponseData(tap: Tap, piece: Buffer): void;
  onResponseEnd(tap: Tap): void;
  onResponseError(tap: Tap | null, error: Error): void;
  /**
   * In place of all but the failure, where the whole answer came in one read and nothing in its head is of interest: not with HTTP 429 and 503,
   * which tell there when to come again.
   * @param body a view that is good only until this returns
   */
  onWhole?(status: number, body: Buffer): void;
}

/** A request to be sent, and whoever waits for its answer. */
export interface Letter {
  readonly head: string;
  readonly body: string;
  readonly handler: AnswerHandler;
  /** As `performance.now()` will be when the answer's head is late. */
  readonly until: number;
}

export interface WireHooks {
  /** The answer is complete and the connection may be used again. */
  free(wire: Wire): void;
  gone(wire: Wire): void;
}

/** One request on its way. */
export class Call implements Tap {
  readonly letter: Letter;
  /** Unset while it waits for a connection. */
  wire: Wire | undefined;
  ended = false;
  begun = false;

  constructor(letter: Letter) {
    this.letter = letter;
  }

  get paused(): boolean {
    return !this.ended && this.wire?.paused === true;
  }

  pause(): void {
    if (!this.ended) this.wire?.pause();
  }

  resume(): void {
    if (!this.ended) this.wire?.resume();
  }

  abort(reason: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.wire?.cut();
    this.letter.handler.onResponseError(this, reason);
  }
}

/** A kept-alive connection to an upstream, which carries one call after the other. */
export class Wire {
  readonly #hooks: WireHooks;
  readonly #socket: Socket;
  #call: Call | undefined;
  /** The beginning of a head whose end is still to come. */
  #held: Buffer | undefined;
  #head: AnswerHead | undefined;
  #body: AnswerBody | undefined;
  #error: Error | undefined;
  /** Most heads are the one before again. */
  #lastText = '';
  #lastHead: AnswerHead | undefined;
  #resting = false;
  paused = false;
  /** When it became free, as `performance.now()` was; coarse. */
  freeSince = 0;
  restMs = 0;

  /** @param open begins the connection, whose bytes go to the reader given to it */
  constructor(hooks: WireHooks, open: (onread: Onread) => Socket) {
    this.#hooks = hooks;
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    this.#socket = open({
      buffer,
      callback: (length) => {
        this.#read(buffer, length);
        return !this.paused;
      },
    });
    this.#socket.setNoDelay(true);
    this.#socket.on('error', (error) => {
      this.#error ??= error;
    });
    this.#socket.on('end', () => this.#onEnd());
    this.#socket.on('close', () => this.#onClose());
  }

  get call(): Call | undefined {
    return this.#call;
  }

  /** False once the connection has ended, also where nobody was told yet. */
  get usable(): boolean {
    return !this.#socket.destroyed;
  }

  carry(call: Call): void {
    const { head, body } = call.letter;
    this.#call = call;
    call.wire = this;
    if (this.#resting) {
      this.#resting = false;
      this.#socket.ref();
    }
    if (Buffer.byteLength(body) === body.length) this.#socket.write(head + body, 'latin1');
    else {
      this.#socket.cork();
      this.#socket.write(head, 'latin1');
      this.#socket.write(body, 'utf8');
      this.#socket.uncork();
    }
  }

  /** A free connection keeps no process alive. */
  rest(): void {
    if (this.#resting) return;
    this.#resting = true;
    this.#socket.unref();
  }

  cut(error?: Error): void {
    this.#error ??= error;
    this.#socket.destroy();
  }

  pause(): void {
    this.paused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.paused = false;
    this.#socket.resume();
  }

  #read(buffer: Buffer, length: number): void {
    const call = this.#call;
    // bytes nobody asked for, or for somebody who has given up
    if (call === undefined || call.ended) this.#socket.destroy();
    else if (this.#body !== undefined || this.#held !== undefined || !this.#readWhole(call, buffer, length)) {
      // a copy: the buffer is read into again
      this.#readPiece(call, Buffer.from(buffer.subarray(0, length)));
    }
  }

  /** The usual answer, small and all there. @returns false where it is another */
  #readWhole(call: Call, buffer: Buffer, length: number): boolean {
    const text = buffer.toString('latin1', 0, Math.min(length, SHORT_HEAD));
    const stop = text.indexOf('\r\n\r\n');
    if (stop < 0) return false;
    const head = this.#readHead(text.slice(0, stop));
    if (head === undefined) return true;
    if (head.status < 200 || typeof head.body !== 'number' || length !== stop + 4 + head.body) return false;
    const { handler } = call.letter;
    const body = buffer.subarray(stop + 4, length);
    call.ended = true;
    this.#finish(head);
    if (handler.onWhole !== undefined && head.status !== 429 && head.status !== 503) handler.onWhole(head.status, body);
    else {
      handler.onResponseStart(call, head.status, head.headers);
      if (body.length > 0) handler.onResponseData(call, Buffer.from(body));
      handler.onResponseEnd(call);
    }
    return true;
  }

  #readHead(text: string): AnswerHead | undefined {
    if (text === this.#lastText) return this.#lastHead;
    try {
      this.#lastHead = readAnswerHead(text);
      this.#lastText = text;
      return this.#lastHead;
    } catch (error) {
      if (!(error instanceof AnswerFormError)) throw error;
      this.cut(error);
      return undefined;
    }
  }

  #readPiece(call: Call, piece: Buffer): void {
    let bytes = piece;
    while (this.#body === undefined) {
      if (this.#held !== undefined) bytes = Buffer.concat([this.#held, bytes]);
      this.#held = undefined;
      const stop = bytes.indexOf('\r\n\r\n');
      if (stop > LONGEST_HEAD || (stop < 0 && bytes.length > LONGEST_HEAD)) {
        this.cut(new AnswerFormError('its head is too long'));
        return;
      }
      if (stop < 0) {
        this.#held = bytes;
        return;
      }
      const head = this.#readHead(bytes.toString('latin1', 0, stop));
      if (head === undefined) return;
      bytes = bytes.subarray(stop + 4);
      // what comes before the answer itself, such as 103 Early Hints
      if (head.status < 200) continue;
      this.#head = head;
      this.#body = new AnswerBody(head.body);
      call.begun = true;
      call.letter.handler.onResponseStart(call, head.status, head.headers);
    }
    this.#readBody(call, bytes, this.#body);
  }

  #readBody(call: Call, bytes: Buffer, body: AnswerBody): void {
    try {
      const used = body.read(bytes, (part) => {
        if (!call.ended) call.letter.handler.onResponseData(call, part);
      });
      if (call.ended || !body.done) return;
      if (used < bytes.length) this.cut();
    } catch (error) {
      if (!(error instanceof AnswerFormError)) throw error;
      this.cut(error);
      return;
    }
    call.ended = true;
    this.#finish(this.#head as AnswerHead);
    call.letter.handler.onResponseEnd(call);
  }

  #finish(head: AnswerHead): void {
    this.#call = undefined;
    this.#head = undefined;
    this.#body = undefined;
    if (this.paused) this.resume();
    if (head.restMs === 0) this.#socket.destroy();
    if (this.#socket.destroyed) return;
    this.restMs = head.restMs;
    this.#hooks.free(this);
  }

  #onEnd(): void {
    const call = this.#call;
    if (call !== undefined && !call.ended && this.#head?.body === 'close') {
      call.ended = true;
      this.#finish(this.#head);
      call.letter.handler.onResponseEnd(call);
    }
    this.#socket.destroy();
  }

  #onClose(): void {
    this.#hooks.gone(this);
    const call = this.#call;
    this.#call = undefined;
    if (call === undefined || call.ended) return;
    call.ended = true;
    call.letter.handler.onResponseError(call, this.#error ?? new BrokenOffError('the upstream ended the connection'));
  }
}

/** As `net.connect` and `tls.connect` take it. */
export interface Onread {
  readonly buffer: Buffer;
  readonly callback: (length: number) => boolean;
}
