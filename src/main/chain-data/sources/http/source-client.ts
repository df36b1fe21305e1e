import { type Headers, type Response, fetch as undiciFetch } from 'undici';
import { concatBytes } from '../../../../chain/index.ts';
import { phrase, type Reason } from '../../../../contract/index.ts';
import { retryAfterMs } from '../../../async/back-off.ts';
import { isOver } from '../../../async/left-until.ts';
import { readEvents } from '../../../event-stream.ts';
import { foreignBounds, OutOfBounds, readForeignValue } from '../../../foreign-json.ts';
import { connectionReason } from '../../../http/connection-reason.ts';
import { httpReason } from '../../../http/http-reason.ts';
import { PhrasedError } from '../../../phrased-error.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Outbound } from '../../../ports/outbound.ts';
import { version } from '../../../version.ts';
import { Pace } from './pace.ts';

/** Bytes of a refusal that are kept: services write reasons, not documents. */
const REFUSAL_BYTES = 4_096;
/** Pause after "too many requests" that names no time. */
const DEFAULT_PAUSE_MS = 5_000;
/** After this time the whole answer is asked for, whatever its ETag: a tag that never changes would keep it for ever. */
const KEPT_MS = 1_800_000;
/** How many paths have their last answer kept for {@link SourceRequest.revalidate}. */
const KEPT_ANSWERS = 16;
/** Refusals that say nothing about what was asked for: of the key, the payment, the time, the rate. */
const NO_EVIDENCE = new Set([401, 402, 403, 407, 408, 425, 429]);

/**
 * What an operator answered. `absent`: it says that there is no such thing. `unknown`: it does not know what was asked about. `unavailable`: no
 * evidence of anything. `invalid`: what it said failed a check. The shared client says `unknown` of every refusal that is an answer, as 404 and
 * 400 are; each operator's client maps the status by the operator's own rules.
 */
export type SourceAnswer<T> =
  | {
      readonly state: 'present';
      readonly value: T;
      readonly status: number;
      readonly headers: Headers;
      readonly etag?: string;
    }
  | SourceRefusal;

interface SourceRefusal {
  readonly state: 'absent' | 'unknown' | 'unavailable' | 'invalid';
  /** Without the address. */
  readonly reason: Reason;
  /** Left out where nothing was answered. */
  readonly status?: number;
  /** The beginning of what was said, at most 4 kB. */
  readonly body?: string;
  /** For how long to leave the operator alone; requests are answered without it until then. */
  readonly retryAfterMs?: number;
}

/** JSON of any shape, text, or bytes. */
interface Kinds {
  json: unknown;
  text: string;
  binary: Uint8Array;
}

interface SourceRequest<K extends keyof Kinds> {
  readonly kind: K;
  /** Of the answer, after decompression. */
  readonly limitBytes: number;
  /** From the sending to the last byte; the wait for a turn does not count. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Asks with the ETag of the last answer to the path, which is the answer again where it still holds. */
  readonly revalidate?: boolean;
}

interface EventRequest {
  /** Silence after which the stream counts as lost, in milliseconds. */
  readonly silentMs: number;
  readonly signal: AbortSignal;
  /** @param data of one event, unchecked */
  readonly onData: (data: string) => void;
}

export interface SourceClientOptions {
  /** Its name in messages. */
  readonly operator: string;
  /** With its path. */
  readonly baseUrl: string;
  /** The operator that answers in place of the usual one. */
  readonly ownOperator?: string | undefined;
  readonly clock: Clock;
  /** Between the beginnings of two requests, in milliseconds. */
  readonly minIntervalMs: number;
  /** Such as those of a key; asked for with each request. */
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly fetch?: typeof undiciFetch;
  /** The way to other machines; directly where it is left out. */
  readonly outbound?: Outbound | undefined;
}

export interface SourceClient {
  readonly operator: string;
  /** Undefined where the usual operator answers. */
  readonly ownOperator?: string | undefined;
  /** Name and port of the machine that is asked, as a person is shown it. */
  readonly host: string;
  /** Between the beginnings of two requests, in milliseconds; 0 where it may be asked at any pace. */
  readonly minIntervalMs: number;
  /** @throws the reason of the signal; TooManyWait for an asker that has its share of waiting requests already */
  get<K extends keyof Kinds>(path: string, request: SourceRequest<K>): Promise<SourceAnswer<Kinds[K]>>;
  /**
   * @param body bytes, a text, or a value to be sent as JSON
   * @throws as {@link get}
   */
  post<K extends keyof Kinds>(path: string, body: unknown, request: SourceRequest<K>): Promise<SourceAnswer<Kinds[K]>>;
  /** Reads a stream of events (SSE). @returns why it ended. @throws as {@link get} */
  events(path: string, request: EventRequest): Promise<SourceRefusal>;
}

/** Why what came is no answer. */
class NoAnswer extends PhrasedError {}

/**
 * Requests to one operator, which is believed nothing: at its pace, within a size and a time, and a page of HTML is no answer, whatever its
 * status. One client serves all that is asked of an operator, so that all of it keeps one pace.
 */
export function createSourceClient(options: SourceClientOptions): SourceClient {
  const { operator, clock, minIntervalMs, headers: own, fetch = undiciFetch, outbound } = options;
  const base = options.baseUrl.replace(/\/+$/, '');
  const pace = new Pace(clock, minIntervalMs);
  const kept = new Map<string, { readonly etag: string; readonly value: unknown; readonly at: number }>();

  function send(
    path: string,
    { headers, ...init }: { method?: 'POST'; headers: Record<string, string>; body?: Uint8Array | string },
    signal: AbortSignal,
  ): Promise<Response> {
    const dispatcher = outbound?.(base);
    return fetch(`${base}${path}`, {
      ...init,
      ...(dispatcher && { dispatcher }),
      headers: { 'user-agent': `Planchet/${version}`, ...own?.(), ...headers },
      redirect: 'manual',
      signal,
    });
  }

  async function ask<K extends keyof Kinds>(
    path: string,
    { kind, limitBytes, deadlineMs, signal, revalidate = false }: SourceRequest<K>,
    content?: { readonly type: string; readonly body: Uint8Array | string },
  ): Promise<SourceAnswer<Kinds[K]>> {
    const paused = await pace.turn(signal);
    if (paused > 0) return leftAlone(paused);
    const last = revalidate ? kept.get(path) : undefined;
    const before = last === undefined || isOver(KEPT_MS, last.at, clock.now()) ? undefined : last;
    const deadline = new AbortController();
    const cancel = clock.after(deadlineMs, () => deadline.abort());
    try {
      const answer = await send(
        path,
        {
          headers: {
            accept: accepted[kind],
            ...(before && { 'if-none-match': before.etag }),
            ...(content && { 'content-type': content.type }),
          },
          ...(content && { method: 'POST', body: content.body }),
        },
        signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]),
      );
      const { status, headers } = answer;
      if (status === 304 && before !== undefined)
        return { state: 'present', value: before.value as Kinds[K], status, headers, etag: before.etag };
      if (!answer.ok) return await refusalOf(answer);
      const value = await readers[kind](answer, limitBytes);
      const etag = headers.get('etag');
      if (etag === null) return { state: 'present', value, status, headers };
      if (revalidate) keep(path, { etag, value, at: clock.now() });
      return { state: 'present', value, status, headers, etag };
    } catch (error) {
      signal?.throwIfAborted();
      const reason = deadline.signal.aborted
        ? phrase('reason.no-answer-within', { ms: deadlineMs })
        : reasonOf(error, outbound?.(base) !== undefined);
      return { state: 'unavailable', reason };
    } finally {
      cancel();
      deadline.abort();
    }
  }

  async function events(path: string, { silentMs, signal, onData }: EventRequest): Promise<SourceRefusal> {
    const paused = await pace.turn(signal);
    if (paused > 0) return leftAlone(paused);
    const silence = new AbortController();
    let cancel: () => void = () => undefined;
    const heard = (): void => {
      cancel();
      cancel = clock.after(silentMs, () => silence.abort());
    };
    heard();
    const dispatcher = outbound?.(base);
    const stillHeard = (): void => {
      if (outbound?.(base) !== dispatcher) throw new NoAnswer(phrase('reason.other-proxy'));
      heard();
    };
    try {
      const headers = { accept: 'text/event-stream' };
      const answer = await send(path, { headers }, AbortSignal.any([signal, silence.signal]));
      if (!answer.ok) return await refusalOf(answer);
      if (!answer.headers.get('content-type')?.startsWith('text/event-stream'))
        throw new NoAnswer(phrase('reason.no-events'));
      if (answer.body !== null) for await (const { data } of readEvents(answer.body, stillHeard)) onData(data);
      throw new NoAnswer(phrase('reason.stream-ended'));
    } catch (error) {
      signal.throwIfAborted();
      return {
        state: 'unavailable',
        reason: silence.signal.aborted
          ? phrase('reason.silent-for', { ms: silentMs })
          : reasonOf(error, dispatcher !== undefined),
      };
    } finally {
      cancel();
      silence.abort();
    }
  }

  async function refusalOf(answer: Response): Promise<SourceRefusal> {
    const { status, headers } = answer;
    const body = await beginningOf(answer);
    const isAnswer = status >= 400 && status < 500 && !NO_EVIDENCE.has(status) && !isPage(headers, body);
    const named = retryAfterMs(headers.get('retry-after') ?? undefined, clock.now());
    const retry = named ?? (status === 429 ? DEFAULT_PAUSE_MS : undefined);
    if (retry !== undefined) pace.pause(retry);
    return {
      state: isAnswer ? 'unknown' : 'unavailable',
      reason: httpReason(status),
      status,
      body,
      ...(retry !== undefined && { retryAfterMs: retry }),
    };
  }

  function keep(path: string, answer: { readonly etag: string; readonly value: unknown; readonly at: number }): void {
    kept.delete(path);
    kept.set(path, answer);
    if (kept.size > KEPT_ANSWERS) kept.delete(kept.keys().next().value as string);
  }

  return {
    operator,
    ownOperator: options.ownOperator,
    host: new URL(base).host,
    minIntervalMs,
    get: (path, request) => ask(path, request),
    post: (path, body, request) => ask(path, request, contentOf(body)),
    events,
  };
}

const accepted: Readonly<Record<keyof Kinds, string>> = {
  json: 'application/json',
  text: 'text/plain',
  binary: 'application/octet-stream',
};

const readers: { readonly [K in keyof Kinds]: (answer: Response, limit: number) => Promise<Kinds[K]> } = {
  async json(answer, limit) {
    if (isHtml(answer.headers)) throw new NoAnswer(phrase('reason.html'));
    const bounds = { ...foreignBounds.sourceAnswer, bytes: Math.min(limit, foreignBounds.sourceAnswer.bytes) };
    const value = answer.body === null ? undefined : await readForeignValue(answer.body, bounds);
    if (value === undefined) throw new NoAnswer(phrase('reason.no-json'));
    return value;
  },
  async text(answer, limit) {
    return new TextDecoder().decode(await bytesOf(answer, limit)).trim();
  },
  binary: bytesOf,
};

/** @throws NoAnswer for a page of HTML, OutOfBounds */
async function bytesOf(answer: Response, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    length += piece.length;
    if (length > limit) throw new OutOfBounds('bytes');
    pieces.push(piece);
  }
  const bytes = concatBytes(...pieces);
  if (isPage(answer.headers, Buffer.from(bytes.subarray(0, 64)).toString('latin1')))
    throw new NoAnswer(phrase('reason.html'));
  return bytes;
}

function leftAlone(retryAfterMs: number): SourceRefusal {
  return { state: 'unavailable', reason: phrase('reason.left-alone'), retryAfterMs };
}

async function beginningOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length >= REFUSAL_BYTES) break;
  }
  return new TextDecoder().decode(concatBytes(...pieces).subarray(0, REFUSAL_BYTES)).trim();
}

function isHtml(headers: Headers): boolean {
  return headers.get('content-type')?.toLowerCase().includes('html') === true;
}

/** Whether a page of a proxy, a portal or a guard stands in place of an answer. Some call themselves text. */
function isPage(headers: Headers, beginning: string): boolean {
  return isHtml(headers) || /^\s*<(?:!doctype|html|head|body|\?xml)/i.test(beginning);
}

function contentOf(body: unknown): { type: string; body: Uint8Array | string } {
  if (body instanceof Uint8Array) return { type: 'application/octet-stream', body };
  if (typeof body === 'string') return { type: 'text/plain', body };
  return { type: 'application/json', body: JSON.stringify(body) };
}

/** @param isProxied whether a proxy was to make the connection: what became of it may be its doing, and not that of who was asked */
function reasonOf(error: unknown, isProxied: boolean): Reason {
  if (error instanceof NoAnswer) return error.sentence;
  if (error instanceof OutOfBounds) return phrase('reason.answer-larger', { bound: error.bound });
  const reason = connectionReason(error);
  return isProxied ? phrase('reason.over-proxy', { reason }) : reason;
}
