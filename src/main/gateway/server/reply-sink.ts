import type { ServerResponse } from 'node:http';
import type { PendingReply } from '../rpc/pending-reply.ts';
import { writePiece } from './request-body.ts';
import { securityHeaders } from './request-guard.ts';

/** The way back to one client. */
export interface ReplySink {
  /**
   * A reply that is at hand as a whole; nothing follows it.
   * @param age seconds, where the reply is an old one
   * @param ascii the text is known to hold nothing else, so that its bytes need not be counted
   * @param retryAfter seconds, where the client is to come again
   */
  whole(status: number, text: string, age: number | undefined, ascii?: boolean, retryAfter?: number): void;
  /** Begins a reply that comes in pieces, with HTTP 200. @param age as of {@link whole} */
  begin(age?: number): void;
  /** Resolves once the client takes more. @throws where the client is gone, or takes nothing for too long */
  write(piece: Uint8Array | string): Promise<void>;
  /** Ends a reply that came in pieces. @param ascii as of {@link whole} */
  end(last?: string, ascii?: boolean): void;
  /** Sets what is cancelled if the client leaves or the gateway stops before the reply is out. */
  cancelOnClose(pending: PendingReply): void;
  /** Called once: the reply is out, or why it cannot be. */
  readonly finished: (error?: unknown) => void;
}

/** Replies through node's own HTTP server. */
export class ResponseSink implements ReplySink {
  readonly #response: ServerResponse;
  readonly #headers: Record<string, string>;
  readonly #stopping: AbortSignal;
  readonly #done = Promise.withResolvers<void>();

  /** @param headers more headers, in addition to those every reply has */
  constructor(response: ServerResponse, headers: Record<string, string>, stopping: AbortSignal) {
    this.#response = response;
    this.#headers = { ...securityHeaders, ...headers };
    this.#stopping = stopping;
  }

  /** Settles when the reply is out. @throws why it cannot be */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  readonly finished = (error?: unknown): void => {
    if (error === undefined) this.#done.resolve();
    else this.#done.reject(error as Error);
  };

  whole(status: number, text: string, age: number | undefined, _ascii?: boolean, retryAfter?: number): void {
    const head: Record<string, string> = { 'content-length': String(Buffer.byteLength(text)) };
    if (retryAfter !== undefined) head['retry-after'] = String(retryAfter);
    this.#head(status, head, age);
    this.#response.end(text);
  }

  begin(age?: number): void {
    this.#head(200, {}, age);
  }

  #head(status: number, length: Record<string, string>, age: number | undefined): void {
    const old = age === undefined ? {} : { age: String(age) };
    this.#response.writeHead(status, { 'content-type': 'application/json', ...length, ...old, ...this.#headers });
  }

  write(piece: Uint8Array | string): Promise<void> {
    return writePiece(this.#response, piece);
  }

  end(last?: string): void {
    this.#response.end(last);
  }

  cancelOnClose(pending: PendingReply): void {
    const cancel = (): void => pending.cancel();
    onClose(this.#response, this.#stopping, cancel);
  }
}

/** Aborts when the response's client has left, or with `stopping`. */
export function signalOf(response: ServerResponse, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController();
  onClose(response, stopping, () => gone.abort());
  return gone.signal;
}

function onClose(response: ServerResponse, stopping: AbortSignal, leave: () => void): void {
  if (response.destroyed) leave();
  stopping.addEventListener('abort', leave, { once: true });
  response.once('close', () => {
    stopping.removeEventListener('abort', leave);
    leave();
  });
}
