import type { ServerResponse } from 'node:http';
import { writePiece } from '../server/request-body.ts';
import { securityHeaders } from '../server/request-guard.ts';

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
  end(last?: string): void;
  /** What tells that the client has left or the gateway stops. */
  leaving(): AbortSignal;
  /** Set where the reply may also come without a promise. Called once when that reply is out, or with why it cannot be. */
  readonly replied?: (error?: unknown) => void;
}

/** Back through node's own HTTP server. */
export class ResponseSink implements ReplySink {
  readonly #response: ServerResponse;
  readonly #headers: Record<string, string>;
  readonly #stopping: AbortSignal;
  #leaving: AbortSignal | undefined;

  /** @param headers more headers, in addition to those every reply has */
  constructor(response: ServerResponse, headers: Record<string, string>, stopping: AbortSignal) {
    this.#response = response;
    this.#headers = { ...securityHeaders, ...headers };
    this.#stopping = stopping;
  }

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

  leaving(): AbortSignal {
    this.#leaving ??= signalOf(this.#response, this.#stopping);
    return this.#leaving;
  }
}

/** Aborts when the response's client has left, or with `stopping`. */
export function signalOf(response: ServerResponse, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  const leave = (): void => gone.abort();
  stopping.addEventListener('abort', leave, { once: true });
  response.once('close', () => {
    stopping.removeEventListener('abort', leave);
    gone.abort();
  });
  return gone.signal;
}
