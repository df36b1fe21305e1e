import type { IncomingHttpHeaders } from 'node:http';
import { PlanchetError } from '../../../contract/index.ts';
import type { ResponseControl, ResponseHandler } from './connection/http-connection.ts';
import { explain, notJsonRpc, retryAfterOf, tooManyCalls } from './errors.ts';
import { type Asked, HttpRequest, type HttpResponse } from './http-request.ts';
import type { Upstream } from './pool.ts';

/**
 * Receives an answer without a promise, through one of the first two methods. If that method throws a PlanchetError, or the NodeRpcError
 * of a node that is still starting, the upstream is counted as failed. A failure is reported once, and nothing follows it.
 */
export interface ResponseListener {
  /** The answer must be a list; the listener checks its form. */
  readonly list?: boolean;
  /** Receives an answer that arrived in one piece. @param ascii whether the answer is all ASCII */
  whole(text: string, from: Pick<Asked, 'origin' | 'status'>, ascii: boolean): void;
  answered(answer: Asked): void;
  failed(error: unknown): void;
}

export interface BufferedRequestOptions {
  readonly upstream: Upstream;
  readonly waiting: ResponseListener;
  readonly timeoutMs: number;
  readonly wholeBytes: number;
  /** Value of `performance.now()` at the start. */
  readonly started: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with a failure before the listener. */
  readonly onFailure: (error: unknown) => void;
  /** Wraps the rest of a long answer so that its errors get their code and text. */
  readonly explained: (rest: AsyncIterableIterator<Buffer>) => AsyncIterableIterator<Buffer>;
}

/**
 * One call to one upstream, without a promise, timer or signal of its own. If its answer does not arrive in one piece, it continues as an
 * {@link HttpRequest}.
 */
export class BufferedRequest implements ResponseHandler {
  readonly #options: BufferedRequestOptions;
  #long: HttpRequest | undefined;
  /** When the head of the answer had arrived. */
  #begun = 0;

  constructor(options: BufferedRequestOptions) {
    this.#options = options;
  }

  onComplete(status: number, body: Buffer): void {
    const { upstream, waiting, started } = this.#options;
    if (waiting.list !== true && !looksLikeObject(body)) {
      this.#fail(notJsonRpc(upstream.origin, status));
      return;
    }
    const latency = performance.now() - started;
    const text = body.toString('utf8');
    const ascii = text.length === body.length;
    this.#tell(latency, () => waiting.whole(text, { origin: upstream.origin, status }, ascii));
  }

  onResponseStart(control: ResponseControl, status: number, headers: IncomingHttpHeaders): void {
    const { timeoutMs, wholeBytes } = this.#options;
    this.#begun = performance.now();
    this.#long = new HttpRequest(
      { timeoutMs, wholeBytes, bounds: 'piece', signal: undefined },
      (answer) => this.#onAnswer(answer),
      (error) => this.#fail(error),
    );
    this.#long.onRequestStart(control);
    this.#long.onResponseStart(control, status, headers);
  }

  onResponseData(control: ResponseControl, piece: Buffer): void {
    this.#long?.onResponseData(control, piece);
  }

  onResponseEnd(): void {
    this.#long?.onResponseEnd();
  }

  onResponseError(control: ResponseControl | null, error: Error): void {
    if (this.#long === undefined) this.#fail(error);
    else this.#long.onResponseError(control, error);
  }

  #onAnswer(answer: HttpResponse): void {
    const { upstream, waiting, explained } = this.#options;
    const { rest, status } = answer;
    const latency = this.#begun - this.#options.started;
    const refused = tooManyCalls(upstream.origin, answer, this.#options.now());
    if (refused !== undefined) {
      void rest?.return?.();
      this.#fail(refused);
      return;
    }
    if (waiting.list !== true && !looksLikeObject(answer.bytes)) {
      void rest?.return?.();
      this.#fail(notJsonRpc(upstream.origin, status));
      return;
    }
    const asked = { ...answer, origin: upstream.origin, rest: rest && explained(rest) };
    this.#tell(latency, () => waiting.answered(asked));
  }

  #tell(latency: number, telling: () => void): void {
    try {
      telling();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#options.upstream.answered(latency);
  }

  #fail(error: unknown): void {
    const { upstream, timeoutMs, onFailure, waiting } = this.#options;
    const told = explain(error, upstream.origin, timeoutMs);
    // the calls of a list are sent again one by one, which shows whether the upstream fails
    const unclear = told instanceof PlanchetError && told.code === 'upstream-error' && retryAfterOf(told) === undefined;
    if (waiting.list === true && unclear) upstream.released();
    else onFailure(told);
    waiting.failed(told);
  }
}

/** Whether an answer starts like a JSON object. */
export function looksLikeObject(bytes: Buffer): boolean {
  return bytes[0] === 0x7b || bytes.toString('latin1', 0, 64).trimStart()[0] === '{';
}
