import type { ServerResponse } from 'node:http';
import type { AnswerBasis } from '../../../contract/index.ts';
import type { PendingReply } from '../rpc/pending-reply.ts';
import { basisOf, type WholeReply } from '../rpc/reply.ts';
import { writePiece } from './request-body.ts';
import { securityHeaders } from './request-guard.ts';

/** Names what an answer rests on that no node gave. */
export function basisHeader(basis: AnswerBasis | undefined): Record<string, string> {
  return basis === undefined ? {} : { 'planchet-basis': basis };
}

export interface ReplySink {
  /** Sends a reply as a whole. Nothing may follow. */
  whole(reply: WholeReply): void;
  /**
   * Starts a streamed reply with HTTP 200.
   * @param age seconds, if the reply is an old one
   * @param basis what the answer rests on, if no node gave it
   */
  begin(age?: number, basis?: AnswerBasis): void;
  /** Resolves once the client can receive more. @throws if the client has left, or reads nothing for too long */
  write(piece: Uint8Array | string): Promise<void>;
  /** Ends a streamed reply. @param ascii the text is known to be all ASCII, so that its bytes need not be counted */
  end(last?: string, ascii?: boolean): void;
  /** Sets the call to cancel if the client leaves or the gateway stops before the reply is sent. */
  cancelOnClose(pending: PendingReply): void;
  /** Called once: the reply was sent, or `error` says why not. */
  readonly finished: (error?: unknown) => void;
}

/** Sends replies through node's own HTTP server. */
export class ResponseSink implements ReplySink {
  readonly #response: ServerResponse;
  readonly #headers: Record<string, string>;
  readonly #stopping: AbortSignal;
  readonly #done = Promise.withResolvers<void>();

  /** @param headers headers in addition to those of every reply */
  constructor(response: ServerResponse, headers: Record<string, string>, stopping: AbortSignal) {
    this.#response = response;
    this.#headers = { ...securityHeaders, ...headers };
    this.#stopping = stopping;
  }

  /** Settles when the reply was sent. @throws why it could not be sent */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  readonly finished = (error?: unknown): void => {
    if (error === undefined) this.#done.resolve();
    else this.#done.reject(error as Error);
  };

  whole(reply: WholeReply): void {
    const { status, age, retryAfter } = reply;
    const text = reply.text + reply.end;
    const head: Record<string, string> = { 'content-length': String(Buffer.byteLength(text)) };
    if (retryAfter !== undefined) head['retry-after'] = String(retryAfter);
    this.#head(status, { ...head, ...basisHeader(basisOf(reply)) }, age);
    this.#response.end(text);
  }

  begin(age?: number, basis?: AnswerBasis): void {
    this.#head(200, basisHeader(basis), age);
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

/** A signal that aborts when the client has left, or with `stopping`. */
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
