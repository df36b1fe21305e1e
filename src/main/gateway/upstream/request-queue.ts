import type { Dispatcher, Pool } from 'undici';
import type { HttpRequest } from './http-request.ts';

/** Sends requests on the connections of one upstream, of which only so many may be without an answer; further ones wait here. */
export class RequestQueue {
  readonly #pool: Pool;
  readonly #maxUnanswered: number;
  readonly #waiting: { readonly options: Dispatcher.DispatchOptions; readonly request: HttpRequest }[] = [];
  #unanswered = 0;
  #isRetired = false;

  constructor(pool: Pool, maxUnanswered: number) {
    this.#pool = pool;
    this.#maxUnanswered = maxUnanswered;
  }

  /** Sends a request once, at once or when an earlier one is answered. */
  send(options: Dispatcher.DispatchOptions, request: HttpRequest): void {
    if (this.#unanswered === this.#maxUnanswered) this.#waiting.push({ options, request });
    else this.#dispatch(options, request);
  }

  /** Closes the connections when the requests that were sent and those that wait are answered. */
  retire(): void {
    this.#isRetired = true;
    if (this.#waiting.length === 0) this.#pool.close().catch(() => {});
  }

  #dispatch(options: Dispatcher.DispatchOptions, request: HttpRequest): void {
    this.#unanswered += 1;
    request.onAnswering = this.#answering;
    this.#pool.dispatch(options, request);
  }

  readonly #answering = (): void => {
    this.#unanswered -= 1;
    while (this.#unanswered < this.#maxUnanswered) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      if (!next.request.ended) this.#dispatch(next.options, next.request);
    }
    if (this.#isRetired) this.retire();
  };
}
