import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { ResponseBody } from './response-body.ts';
import { MalformedResponseError, type ResponseHead, readResponseHead } from './response-head.ts';

const READ_BYTES = 64 * 1024;
/** A head up to this size is read where it stands; a longer one, or one that comes in pieces, is gathered. */
const SMALL_HEAD_BYTES = 2_048;
const MAX_HEAD_BYTES = 64 * 1024;

/** The upstream ended the connection before the answer was there. */
export class ConnectionClosedError extends Error {}

/** Hold on the answer while it comes. */
export interface ResponseControl {
  readonly paused: boolean;
  pause(): void;
  resume(): void;
  /** Gives the answer up, and with it the connection. */
  abort(reason: Error): void;
}

/** What hears of one answer: its head, its pieces and its end, or at any time before that it failed. */
export interface ResponseHandler {
  onResponseStart(control: ResponseControl, status: number, headers: IncomingHttpHeaders): void;
  onResponseData(control: ResponseControl, piece: Buffer): void;
  onResponseEnd(control: ResponseControl): void;
  onResponseError(control: ResponseControl | null, error: Error): void;
  /**
   * In place of all but the failure, where the whole answer came in one read and nothing in its head is of interest: not with HTTP 429 and 503,
   * which tell there when to come again.
   * @param body a view that is good only until this returns
   */
  onComplete?(status: number, body: Buffer): void;
}

/** A request to be sent, and whoever waits for its answer. */
export interface OutgoingRequest {
  readonly head: string;
  readonly body: string;
  readonly handler: ResponseHandler;
  /** As `performance.now()` will be when the answer's head is late. */
  readonly until: number;
}

export interface HttpConnectionHooks {
  /** The answer is complete and the connection may be used again. */
  idle(connection: HttpConnection): void;
  closed(connection: HttpConnection): void;
}

/** One request on its way. */
export class PendingRequest implements ResponseControl {
  readonly request: OutgoingRequest;
  /** Unset while it waits for a connection. */
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

/** A kept-alive connection to an upstream, which carries one call after the other. */
export class HttpConnection {
  readonly #hooks: HttpConnectionHooks;
  readonly #socket: Socket;
  #call: PendingRequest | undefined;
  /** The beginning of a head whose end is still to come. */
  #partialHead: Buffer | undefined;
  #head: ResponseHead | undefined;
  #body: ResponseBody | undefined;
  #error: Error | undefined;
  /** Most heads are the one before again. */
  #lastText = '';
  #lastHead: ResponseHead | undefined;
  #unreferenced = false;
  paused = false;
  /** When it became free, as `performance.now()` was; coarse. */
  idleSince = 0;
  idleMs = 0;

  /** @param open begins the connection, whose bytes go to the reader given to it */
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

  /** False once the connection has ended, also where nobody was told yet. */
  get usable(): boolean {
    return !this.#socket.destroyed;
  }

  send(call: PendingRequest): void {
    const { head, body } = call.request;
    this.#call = call;
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

  /** A free connection keeps no process alive. */
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
    // bytes nobody asked for, or for somebody who has given up
    if (call === undefined || call.ended) this.#socket.destroy();
    else if (this.#body !== undefined || this.#partialHead !== undefined || !this.#readComplete(call, buffer, length)) {
      // a copy: the buffer is read into again
      this.#readPiece(call, Buffer.from(buffer.subarray(0, length)));
    }
  }

  /** The usual answer, small and all there. @returns false where it is another */
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
      // what comes before the answer itself, such as 103 Early Hints
      if (head.status < 200) continue;
      this.#head = head;
      this.#body = new ResponseBody(head.body);
      call.begun = true;
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

/** As `net.connect` and `tls.connect` take it. */
export interface Onread {
  readonly buffer: Buffer;
  readonly callback: (length: number) => boolean;
}
