import type { JsonBounds } from '../../json-scan.ts';
import type { Asked } from './http-request.ts';

export interface AskOptions {
  signal?: AbortSignal | undefined;
  /** Answers up to this size arrive as a whole. */
  wholeBytes: number;
  /** The answer is that to a batch. */
  list?: boolean;
  /** Bounds of the answer, checked while it arrives. */
  json?: JsonBounds;
}

export interface Cancellable {
  abort(reason: Error): void;
}

/**
 * Receives an answer without a promise: one of the two methods is called, once. If `answered` throws a PlanchetError, or the NodeRpcError of
 * a node that is still starting, the upstream is counted as failed, and `failed` is called.
 */
export interface ResponseListener {
  /** The answer must be a list; the listener checks its form. */
  readonly list?: boolean;
  answered(answer: Asked): void;
  failed(error: unknown): void;
}

/** Receives the answer of the upstream that `NodeClient.send` chose. */
export interface AnswerListener<T> extends ResponseListener {
  /** Reads an answer; called in place of `answered` if several upstreams can be asked. @throws if the next one is to be asked */
  read(answer: Asked): T | Promise<T>;
  /** Called with what `read` made of the answer that is used. */
  settle(value: T): void;
}

export interface RestOptions extends AskOptions {
  /** Media type a success must have. */
  type: string;
  /** Value of the `Range` header. */
  range: string | undefined;
}

/** What sends requests to an upstream. */
export interface Asks {
  /** @param read what of an answer is used; it throws where the next upstream is to be asked */
  ask<T>(body: string, options: AskOptions, read: (answer: Asked) => T | Promise<T>): Promise<T>;
}
