import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { ResponseBody } from './response-body.ts';
import { MalformedResponseError, type ResponseHead, readResponseHead } from './response-head.ts';

const READ_BYTES = 64 * 1024;
/** A head up to this size is read in place. A longer one, or one that arrives in pieces, is collected first. */
const SMALL_HEAD_BYTES = 2_048;
const MAX_HEAD_BYTES = 64 * 1024;

/** The upstream closed the connection before the answer was complete. */
export class ConnectionClosedError extends Error {}

/** Controls the answer while it arrives. */
export interface ResponseControl {
  readonly paused: boolean;
  pause(): void;
  resume(): void;
  /** Cancels the answer and closes its connection. */
  abort(reason: Error): void;
}

/** Receives one answer: its head, its pieces and its end, or a failure at any time before the end. */
export interface ResponseHandler {
  onResponseStart(control: ResponseControl, status: number, headers: IncomingHttpHeaders): void;
  onResponseData(control: ResponseControl, piece: Buffer): void;
  onResponseEnd(control: ResponseControl): void;
  onResponseError(control: ResponseControl | null, error: Error): void;
  /**
   * Called instead of the other methods if the whole answer arrived in one read and its head does not matter. Not for HTTP 429 and 503,
   * whose head names the time of the next try.
   * @param body a view that is valid only until this returns
   */
  onComplete?(status: number, body: Buffer): void;
}

/** A request to send, and the receiver of its answer. */
export interface OutgoingRequest {
  readonly head: string;
  readonly body: string;
  readonly handler: ResponseHandler;
  /** Deadline for the answer's head, as a value of `performance.now()`. */
  readonly until: number;
}

export interface HttpConnectionHooks {
  /** The head of an answer arrived, and more of the answer follows. */
  begun(connection: HttpConnection): void;
  /** The answer is complete and the connection may be used again. */
  idle(connection: HttpConnection): void;
  closed(connection: HttpConnection): void;
}

/** One pending request. */
export class PendingRequest implements ResponseControl {
  readonly request: OutgoingRequest;
  /** Undefined while it waits for a connection. */
  connection: HttpConnection | undefined;
  ended = false;
  begun = false;

  constructor(request: OutgoingRequest) {
    this.request = request;
  }

  get paused(): boolean {
    return !this.ended && this.connection?.paused === true;
  }

  pause(): void {
    if (!this.ended) this.connection?.pause();
  }

  resume(): void {
    if (!this.ended) this.connection?.resume();
  }

  abort(reason: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.connection?.destroy();
    this.request.handler.onResponseError(this, reason);
  }
}

/** A kept-alive connection to an upstream. It carries one call after the other. */
export class HttpConnection {
  readonly #hooks: HttpConnectionHooks;
  readonly #socket: Socket;
  #call: PendingRequest | undefined;
  /** The start of a head that is not complete yet. */
  #partialHead: Buffer | undefined;
  #head: ResponseHead | undefined;
  #body: ResponseBody | undefined;
  #error: Error | undefined;
  /** The last head. Most heads are the same as the one before. */
  #lastText = '';
  #lastHead: ResponseHead | undefined;
  #unreferenced = false;
  paused = false;
  /** Its call is sent and no answer to it has begun. */
  awaiting = false;
  /** When it became idle, as a coarse value of `performance.now()`. */
  idleSince = 0;
  idleMs = 0;

  /** @param open starts the connection, and passes its bytes to the given reader */
  constructor(hooks: HttpConnectionHooks, open: (onread: Onread) => Socket) {
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

  get call(): PendingRequest | undefined {
    return this.#call;
  }

  /** False once the connection has ended, even before the hooks are called. */
  get usable(): boolean {
    return !this.#socket.destroyed;
  }

  send(call: PendingRequest): void {
    const { head, body } = call.request;
    this.#call = call;
    this.awaiting = true;
    call.connection = this;
    if (this.#unreferenced) {
      this.#unreferenced = false;
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

  /** An idle connection does not keep the process alive. */
  unref(): void {
    if (this.#unreferenced) return;
    this.#unreferenced = true;
    this.#socket.unref();
  }

  destroy(error?: Error): void {
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
    // bytes without a request, or for a cancelled one
    if (call === undefined || call.ended) this.#socket.destroy();
    else if (this.#body !== undefined || this.#partialHead !== undefined || !this.#readComplete(call, buffer, length)) {
      // a copy, because the buffer is reused
      this.#readPiece(call, Buffer.from(buffer.subarray(0, length)));
    }
  }

  /** Handles the usual answer, which is small and complete. @returns false for any other answer */
  #readComplete(call: PendingRequest, buffer: Buffer, length: number): boolean {
    const text = buffer.toString('latin1', 0, Math.min(length, SMALL_HEAD_BYTES));
    const stop = text.indexOf('\r\n\r\n');
    if (stop < 0) return false;
    const head = this.#readHead(text.slice(0, stop));
    if (head === undefined) return true;
    if (head.status < 200 || typeof head.body !== 'number' || length !== stop + 4 + head.body) return false;
    const { handler } = call.request;
    const body = buffer.subarray(stop + 4, length);
    call.ended = true;
    this.#finish(head);
    if (handler.onComplete !== undefined && head.status !== 429 && head.status !== 503)
      handler.onComplete(head.status, body);
    else {
      handler.onResponseStart(call, head.status, head.headers);
      if (body.length > 0) handler.onResponseData(call, Buffer.from(body));
      handler.onResponseEnd(call);
    }
    return true;
  }

  #readHead(text: string): ResponseHead | undefined {
    if (text === this.#lastText) return this.#lastHead;
    try {
      this.#lastHead = readResponseHead(text);
      this.#lastText = text;
      return this.#lastHead;
    } catch (error) {
      if (!(error instanceof MalformedResponseError)) throw error;
      this.destroy(error);
      return undefined;
    }
  }

  #readPiece(call: PendingRequest, piece: Buffer): void {
    let bytes = piece;
    while (this.#body === undefined) {
      if (this.#partialHead !== undefined) bytes = Buffer.concat([this.#partialHead, bytes]);
      this.#partialHead = undefined;
      const stop = bytes.indexOf('\r\n\r\n');
      if (stop > MAX_HEAD_BYTES || (stop < 0 && bytes.length > MAX_HEAD_BYTES)) {
        this.destroy(new MalformedResponseError('its head is too long'));
        return;
      }
      if (stop < 0) {
        this.#partialHead = bytes;
        return;
      }
      const head = this.#readHead(bytes.toString('latin1', 0, stop));
      if (head === undefined) return;
      bytes = bytes.subarray(stop + 4);
      // interim responses such as 103 Early Hints
      if (head.status < 200) continue;
      this.#head = head;
      this.#body = new ResponseBody(head.body);
      call.begun = true;
      this.#hooks.begun(this);
      call.request.handler.onResponseStart(call, head.status, head.headers);
    }
    this.#readBody(call, bytes, this.#body);
  }

  #readBody(call: PendingRequest, bytes: Buffer, body: ResponseBody): void {
    try {
      const used = body.read(bytes, (part) => {
        if (!call.ended) call.request.handler.onResponseData(call, part);
      });
      if (call.ended || !body.done) return;
      if (used < bytes.length) this.destroy();
    } catch (error) {
      if (!(error instanceof MalformedResponseError)) throw error;
      this.destroy(error);
      return;
    }
    call.ended = true;
    this.#finish(this.#head as ResponseHead);
    call.request.handler.onResponseEnd(call);
  }

  #finish(head: ResponseHead): void {
    this.#call = undefined;
    this.#head = undefined;
    this.#body = undefined;
    if (this.paused) this.resume();
    if (head.idleMs === 0) this.#socket.destroy();
    if (this.#socket.destroyed) return;
    this.idleMs = head.idleMs;
    this.#hooks.idle(this);
  }

  #onEnd(): void {
    const call = this.#call;
    if (call !== undefined && !call.ended && this.#head?.body === 'close') {
      call.ended = true;
      this.#finish(this.#head);
      call.request.handler.onResponseEnd(call);
    }
    this.#socket.destroy();
  }

  #onClose(): void {
    this.#hooks.closed(this);
    const call = this.#call;
    this.#call = undefined;
    if (call === undefined || call.ended) return;
    call.ended = true;
    call.request.handler.onResponseError(
      call,
      this.#error ?? new ConnectionClosedError('the upstream ended the connection'),
    );
  }
}

/** The option `onread` of `net.connect` and `tls.connect`. */
export interface Onread {
  readonly buffer: Buffer;
  readonly callback: (length: number) => boolean;
}
