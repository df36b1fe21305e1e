import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { OutOfBounds } from '../../foreign-json.ts';
import type { JsonScan } from '../../json-scan.ts';

/** Most pieces to buffer for a slow reader before the upstream is paused. */
const WAITING_PIECES = 4;
/** Bytes that count as progress. An upstream that sends single bytes slowly times out all the same. */
const PROGRESS_BYTES = 1_024;

export interface HttpRequestOptions extends AnswerOptions {
  /** Sends the request. `onRequestStart` of the handler receives the handle that cancels it, at once or later. */
  readonly dispatch: (handler: HttpRequest) => void;
}

export interface AnswerOptions {
  /** Limits the wait for the answer's head, and then for each further KiB or the end. With `whole`, for the whole answer. */
  readonly timeoutMs: number;
  readonly bounds: 'piece' | 'whole';
  /** Answers up to this size are returned in one piece. */
  readonly wholeBytes: number;
  readonly signal: AbortSignal | undefined;
  /** Checks an answer while it arrives: one that passes a bound ends the request with OutOfBounds. */
  readonly scan?: JsonScan | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The whole body, or its beginning if `rest` is set. */
  readonly bytes: Buffer;
  /** The body after `bytes`. It throws the errors of the request. The receiver must read it to the end or call `return`. */
  readonly rest: AsyncIterableIterator<Buffer> | undefined;
  /** Milliseconds until the answer's head arrived. */
  readonly latency: number;
}

/** A response and its sender. */
export interface Asked extends HttpResponse {
  /** The upstream that answered, without credentials. */
  readonly origin: string;
}

/** The upstream was too slow. */
export class UpstreamTimeoutError extends Error {}
/** The caller cancelled the request. */
export class CancelledError extends Error {}

/**
 * One HTTP request and its answer. A small answer arrives as a whole; of a large one, only a few pieces are in memory at a time.
 * @throws UpstreamTimeoutError, CancelledError, and the connection's own errors
 */
export function sendRequest(options: HttpRequestOptions): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const handler = new HttpRequest(options, resolve, reject);
    if (handler.ended) return;
    try {
      options.dispatch(handler);
    } catch (error) {
      handler.onResponseError(null, error as Error);
    }
  });
}

/** Receives the answer to one request. */
export class HttpRequest implements Dispatcher.DispatchHandler {
  readonly #options: AnswerOptions;
  readonly #resolve: (answer: HttpResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #started = performance.now();
  readonly #onAbort = (): void => this.abort(new CancelledError('the caller gave up'));
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #latency = 0;
  #pieces: Buffer[] = [];
  #length = 0;
  /** Bytes that arrived since the timer was set. */
  #progress = 0;
  #flow: Flow | undefined;
  ended = false;
  /** Called once, when the answer begins or it is known that none will come. */
  onAnswering: (() => void) | undefined;

  constructor(options: AnswerOptions, resolve: (answer: HttpResponse) => void, reject: (error: Error) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = this.#limit();
    if (options.signal?.aborted) this.#onAbort();
    else options.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.ended) controller.abort(new CancelledError('the caller gave up'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // interim responses such as 100 Continue
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.#latency = performance.now() - this.#started;
    this.#renew();
    this.#tellAnswering();
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.ended) return;
    this.#progress += piece.length;
    if (this.#progress >= PROGRESS_BYTES) this.#renew();
    if (this.#flow !== undefined) {
      if (this.#flow.push(piece) < WAITING_PIECES) return;
      controller.pause();
      // while the client reads slowly, the upstream is not late
      clearTimeout(this.#timer);
      return;
    }
    const fault = this.#options.scan?.push(piece);
    // what is no JSON is told when it is read
    if (fault !== undefined && fault !== 'syntax') {
      this.abort(new OutOfBounds(fault));
      return;
    }
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > this.#options.wholeBytes) this.#turnToFlow(controller);
  }

  onResponseEnd(): void {
    if (this.ended) return;
    this.#finish();
    if (this.#flow !== undefined) this.#flow.end();
    else this.#resolve(this.#answer(undefined));
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.ended) return;
    this.#finish();
    this.#fail(error);
  }

  #turnToFlow(controller: Dispatcher.DispatchController): void {
    this.#flow = new Flow({
      drained: () => {
        if (this.ended || !controller.paused) return;
        // a cleared timer cannot be refreshed
        this.#timer = this.#limit();
        controller.resume();
      },
      left: () => this.abort(new CancelledError('the reader left')),
    });
    this.#resolve(this.#answer(this.#flow));
  }

  #answer(rest: Flow | undefined): HttpResponse {
    const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces, this.#length);
    this.#pieces = [];
    return { status: this.#status, headers: this.#headers, bytes, rest, latency: this.#latency };
  }

  #limit(): NodeJS.Timeout {
    this.#progress = 0;
    return setTimeout(
      () => this.abort(new UpstreamTimeoutError('the upstream is late')),
      this.#options.timeoutMs,
    ).unref();
  }

  #renew(): void {
    this.#progress = 0;
    if (this.#options.bounds === 'piece') this.#timer.refresh();
  }

  /** Cancels the request and closes its connection. */
  abort(error: Error): void {
    if (this.ended) return;
    this.#finish();
    this.#fail(error);
    this.#controller?.abort(error);
  }

  #fail(error: Error): void {
    if (this.#flow !== undefined) this.#flow.fail(error);
    else this.#reject(error);
  }

  #finish(): void {
    this.ended = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#tellAnswering();
  }

  #tellAnswering(): void {
    const tell = this.onAnswering;
    this.onAnswering = undefined;
    tell?.();
  }
}

/** Buffers the pieces between the upstream and a reader. */
class Flow implements AsyncIterableIterator<Buffer> {
  readonly #hooks: { drained: () => void; left: () => void };
  #waiting: Buffer[] = [];
  #ended = false;
  #error: Error | undefined;
  #wake: () => void = () => {};

  constructor(hooks: { drained: () => void; left: () => void }) {
    this.#hooks = hooks;
  }

  /** @returns number of buffered pieces */
  push(piece: Buffer): number {
    const waiting = this.#waiting.push(piece);
    this.#wake();
    return waiting;
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  fail(error: Error): void {
    this.#error = error;
    this.#wake();
  }

  async next(): Promise<IteratorResult<Buffer>> {
    for (;;) {
      const piece = this.#waiting.shift();
      if (piece !== undefined) return { done: false, value: piece };
      if (this.#error !== undefined) throw this.#error;
      if (this.#ended) return { done: true, value: undefined };
      // Before the upstream goes on: it may push pieces at once, and pause again.
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      this.#hooks.drained();
      await promise;
    }
  }

  async return(): Promise<IteratorResult<Buffer>> {
    this.#waiting = [];
    if (!this.#ended && this.#error === undefined) {
      this.#ended = true;
      this.#hooks.left();
    }
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
