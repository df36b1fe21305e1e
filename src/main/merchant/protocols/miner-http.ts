import { type Dispatcher, errors, request } from 'undici';
import { z } from 'zod';
import { type KeyStyle, PlanchetError } from '../../../contract/index.ts';
import { retryAfterMs } from '../../async/back-off.ts';
import { readEvents, type StreamEvent } from '../../event-stream.ts';
import { type ForeignBounds, foreignBounds, jsonOf, OutOfBounds, readForeign } from '../../foreign-json.ts';
import { connectionReason } from '../../http/connection-reason.ts';
import type { Outbound } from '../../ports/outbound.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
/** Bytes that a slow line sends in a second. */
const SLOWEST_BYTES_A_SECOND = 50_000;

export interface MinerHttpOptions {
  /** Address of the API with its path, e.g. `https://host/mapi`; empty while none is set. */
  url: () => string;
  /** API key; undefined while none is stored. @throws PlanchetError `vault-locked` */
  apiKey: () => Uint8Array | undefined;
  /** How the API key is sent; as a bearer token if this is left out. */
  keyStyle?: KeyStyle | undefined;
  /** The way to other machines; directly where it is left out. */
  outbound?: Outbound | undefined;
  /** Limit of a whole request in milliseconds, not counting the time to send a large body. */
  timeoutMs?: number | undefined;
}

export interface RequestBody {
  readonly type: 'application/json' | 'application/octet-stream';
  readonly content: string | Uint8Array;
}

export interface HttpAnswer {
  /** Address that was asked, without a slash at its end. */
  readonly base: string;
  readonly status: number;
  readonly text: string;
  /** Milliseconds the answer asks to be left alone. */
  readonly retryAfter: number | undefined;
}

/** Requests to a miner's API: the API key is sent, and time and size are limited. */
export class MinerHttp {
  readonly #options: MinerHttpOptions;

  constructor(options: MinerHttpOptions) {
    this.#options = options;
  }

  /**
   * @param path below the address, e.g. `/feeQuote`
   * @param bounds what the answer may be
   * @returns the answer, whatever its status but 401 and 403
   * @throws PlanchetError `upstream-unreachable`, `upstream-timeout`, `upstream-error`, `unauthorized`, `api-key-missing`, `vault-locked`
   */
  async call(
    path: string,
    bounds: ForeignBounds,
    body?: RequestBody,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpAnswer> {
    const sendingMs = Math.floor((body?.content.length ?? 0) / SLOWEST_BYTES_A_SECOND) * 1_000;
    const timeoutMs = (this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS) + sendingMs;
    // asked once: the setting may change while the answer is awaited
    const base = this.#base();
    const key = this.#key();
    // One limit over everything: undici's own limits would start again with each part of the answer.
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await request(`${base}${path}`, {
        ...this.#via(base),
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(key === undefined ? {} : keyHeader(key, this.#options.keyStyle)),
          ...(body && { 'content-type': body.type }),
          ...headers,
        },
        ...(body && { body: body.content }),
        signal,
      });
      const { statusCode: status } = answer;
      const retryAfter = retryAfterMs(answer.headers['retry-after'], Date.now());
      const text = await readForeign(answer.body, bounds);
      if (status === 401 || status === 403) throw notAccepted(status, key);
      return { base, status, text, retryAfter };
    } catch (error) {
      throw transportFailure(error, base, timeoutMs);
    }
  }

  /**
   * Reads a stream of events until it ends or is silent for too long.
   * @param silentMs silence after which the stream counts as lost
   * @throws PlanchetError as {@link call}, also where the answer is anything else, or the way to the miner is another by now; the reason of
   *   the signal
   */
  async *events(
    path: string,
    headers: Readonly<Record<string, string>>,
    { silentMs, signal }: { silentMs: number; signal: AbortSignal },
  ): AsyncGenerator<StreamEvent> {
    const base = this.#base();
    const key = this.#key();
    const via = this.#via(base);
    try {
      const answer = await request(`${base}${path}`, {
        ...via,
        headers: {
          accept: 'text/event-stream',
          ...(key === undefined ? {} : keyHeader(key, this.#options.keyStyle)),
          ...headers,
        },
        headersTimeout: silentMs,
        bodyTimeout: silentMs,
        signal,
      });
      const { statusCode: status } = answer;
      if (status !== 200 || !String(answer.headers['content-type']).startsWith('text/event-stream')) {
        const retryAfter = retryAfterMs(answer.headers['retry-after'], Date.now());
        const text = await readForeign(answer.body, foreignBounds.minerTerms);
        if (status === 401 || status === 403) throw notAccepted(status, key);
        throw failedAnswer({ base, status, text, retryAfter });
      }
      yield* readEvents(answer.body, () => {
        if (this.#via(base).dispatcher !== via.dispatcher) throw new Error('another proxy is set');
      });
    } catch (error) {
      signal.throwIfAborted();
      throw transportFailure(error, base, silentMs);
    }
  }

  #via(base: string): { dispatcher?: Dispatcher } {
    const dispatcher = this.#options.outbound?.(base);
    return dispatcher === undefined ? {} : { dispatcher };
  }

  #base(): string {
    const url = this.#options.url().replace(/\/+$/, '');
    if (url !== '') return url;
    throw new PlanchetError('merchant.no-address');
  }

  #key(): string | undefined {
    const bytes = this.#options.apiKey();
    if (!bytes) return undefined;
    const key = Buffer.from(bytes).toString('utf8').trim();
    bytes.fill(0);
    if (/^[\x21-\x7e]+$/.test(key)) return key;
    throw new PlanchetError('merchant.api-key-malformed');
  }
}

function keyHeader(key: string, style: KeyStyle = 'bearer'): Record<string, string> {
  if (style === 'api-key') return { 'api-key': key };
  return { authorization: style === 'bare' ? key : `Bearer ${key}` };
}

function notAccepted(status: number, key: string | undefined): PlanchetError {
  return key === undefined
    ? new PlanchetError('merchant.api-key-missing')
    : new PlanchetError('merchant.unauthorized', { status });
}

/** A title or detail of a problem document (RFC 9457) is worth showing; anything else is not ours to show. */
const problemSchema = z.object({ title: z.string().optional(), detail: z.string().optional() });

/** The error for an answer that has none of what was asked for. */
export function failedAnswer({ status, text, retryAfter }: HttpAnswer): PlanchetError {
  const problem = problemSchema.safeParse(jsonOf(text)).data;
  const reported = [problem?.title, problem?.detail]
    .filter(Boolean)
    .join(' ')
    .slice(0, 300)
    .replace(/[.\s]+$/, '');
  return new PlanchetError(
    status >= 500 ? 'merchant.failed' : 'merchant.answer-refused',
    { status, reason: reported === '' ? '' : `: ${reported}` },
    { detail: { status, ...(retryAfter !== undefined && { retryAfterMs: retryAfter }) } },
  );
}

function transportFailure(error: unknown, base: string, timeoutMs: number): PlanchetError {
  if (error instanceof PlanchetError) return error;
  if (error instanceof OutOfBounds) return new PlanchetError('merchant.answer-too-large', {}, { cause: error });
  const timedOut =
    (error instanceof DOMException && error.name === 'TimeoutError') ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError;
  // A password in the address must not reach a message.
  const { origin } = new URL(base);
  if (timedOut) return new PlanchetError('merchant.timeout', { origin, timeoutMs }, { cause: error });
  return new PlanchetError('merchant.unreachable', { origin, reason: connectionReason(error) }, { cause: error });
}
