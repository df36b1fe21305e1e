import { errors } from 'undici';
import { type Failure, PlanchetError, phrase } from '../../../contract/index.ts';
import { retryAfterMs } from '../../async/back-off.ts';
import { foreignBounds, jsonOf, OutOfBounds } from '../../foreign-json.ts';
import { isCertificateFault } from '../../http/connection-reason.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { CancelledError, type HttpResponse, UpstreamTimeoutError } from './http-request.ts';

/** What a proxy, or a node that starts or stops, says while no node answers behind the address. */
const unavailable: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * The error for an answer that is not JSON-RPC.
 * @param reported the reason it contains
 */
export function notJsonRpc(origin: string, status: number, reported?: string): PlanchetError {
  const options = { detail: { status } };
  const reason = reported?.slice(0, 500);
  if (status === 401 || status === 403) return new PlanchetError('upstream.unauthorized', { origin, status }, options);
  if (unavailable.has(status)) {
    const words = reason === undefined ? '' : `: ${reason}`;
    return new PlanchetError('upstream.unavailable', { origin, status, words }, options);
  }
  if (reason !== undefined) return new PlanchetError('upstream.http-error', { origin, status, reason }, options);
  return new PlanchetError('upstream.not-json-rpc', { origin, status }, options);
}

export function answeredAnother(origin: string): PlanchetError {
  return new PlanchetError('upstream.wrong-answer', { origin });
}

/** @param longest bytes of an answer that is read */
export function tooLarge(origin: string, longest: number): PlanchetError {
  return new PlanchetError('upstream.answer-too-large', { origin }, { detail: { longest } });
}

/** The error for an answer to a REST path that is not a node's. */
export function notRest(origin: string, status: number): PlanchetError {
  return new PlanchetError('upstream.no-rest', { origin, status }, { detail: { status } });
}

/** Turns a connection failure into a PlanchetError; other PlanchetErrors pass unchanged. */
export function explain(error: unknown, origin: string, timeoutMs: number): unknown {
  if (error instanceof PlanchetError || error instanceof NodeRpcError) return error;
  if (error instanceof OutOfBounds) return tooLarge(origin, foreignBounds.nodeAnswer.bytes);
  if (error instanceof CancelledError) return new PlanchetError('upstream.call-cancelled', {}, { cause: error });
  if (error instanceof UpstreamTimeoutError) {
    return new PlanchetError('upstream.timeout', { origin, seconds: timeoutMs / 1_000 }, { cause: error });
  }
  const { code, message } = reasonOf(error);
  if (isCertificateFault(code)) {
    return new PlanchetError('upstream.certificate-untrusted', { origin, reason: message }, { cause: error });
  }
  if (isBrokenOff(error)) return new PlanchetError('upstream.broke-off', { origin }, { cause: error });
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return new PlanchetError('upstream.not-http', { origin, reason: message }, { cause: error });
  }
  return new PlanchetError('upstream.unreachable', { origin, reason: message }, { cause: error });
}

/** Whether an error is a failure of the connection itself: it was not established, or it ended too early. */
export function isConnectionLost(failure: PlanchetError | NodeRpcError): boolean {
  return failure.code === 'upstream-unreachable' || isBrokenOff(failure.cause);
}

/** Codes of undici's errors for a connection or an answer that ended too early. */
const brokenOff = new Set([
  'UND_ERR_SOCKET',
  'UND_ERR_ABORTED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'HPE_INVALID_EOF_STATE',
]);

function isBrokenOff(error: unknown): boolean {
  return brokenOff.has(String((error as { code?: unknown } | undefined)?.code));
}

function reasonOf(error: unknown): { code: string; message: string } {
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const code = String((cause as { code?: unknown } | null)?.code ?? '');
  const reported = cause instanceof Error ? cause.message : String(cause);
  return { code, message: reported.replace(/\.$/, '') };
}

/** The error of a call if the setting names no upstream. */
export function nothingSet(): PlanchetError {
  return new PlanchetError('upstream.none');
}

/** Seconds without calls to an upstream that asked for fewer calls and named no time. */
const USUAL_REST_SECONDS = 1;

/**
 * Recognizes an answer that asks for fewer calls: HTTP 429, or HTTP 503 with a `Retry-After` header (RFC 9110, 10.2.3).
 * @param now milliseconds since 1970, for a header that names a date
 * @returns the error of the call, with the seconds to wait in `detail.retryAfter`; undefined for any other answer
 */
export function tooManyCalls(
  origin: string,
  { status, headers, bytes }: Pick<HttpResponse, 'status' | 'headers' | 'bytes'>,
  now: number,
): PlanchetError | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const named = headers['retry-after'];
  if (status === 503 && String(named ?? '').trim() === '') return undefined;
  const retryAfter = Math.max(USUAL_REST_SECONDS, Math.ceil((retryAfterMs(named, now) ?? 0) / 1_000));
  return resting(origin, { status, retryAfter, reported: textIn(bytes) });
}

/** The error of calls to an upstream that asked for fewer calls: the seconds until the next try, and the upstream's reason if any. */
export function resting(origin: string, told: { status: number; retryAfter: number; reported: string }): PlanchetError {
  const { status, retryAfter, reported } = told;
  const words = reported === '' ? '' : `: ${reported}`;
  return new PlanchetError('upstream.busy', { origin, status, words, retryAfter }, { detail: told });
}

/** The reason in a JSON body; empty if there is none. */
function textIn(bytes: Uint8Array): string {
  const { error, message } = (jsonOf(Buffer.from(bytes).toString('utf8')) ?? {}) as Record<string, unknown>;
  const reported = (error as { message?: unknown } | null)?.message ?? error ?? message;
  return typeof reported === 'string' ? reported.slice(0, 200).replace(/\.$/, '') : '';
}

/** Seconds after which to try a failed call again; undefined if the upstream named none. */
export function retryAfterOf(error: unknown): number | undefined {
  const seconds = error instanceof PlanchetError ? error.detail?.retryAfter : undefined;
  return typeof seconds === 'number' ? seconds : undefined;
}

/** Whether a failure may be that of one call only, and says nothing about the upstream. */
export function isUnclear(error: unknown): boolean {
  return error instanceof PlanchetError && error.code === 'upstream-error' && retryAfterOf(error) === undefined;
}

/** The same pieces, with the errors of {@link explain}. Not a generator: a generator could end only after the piece it waits for. */
export function explained(
  rest: AsyncIterableIterator<Buffer>,
  origin: string,
  timeoutMs: number,
): AsyncIterableIterator<Buffer> {
  const explaining: AsyncIterableIterator<Buffer> = {
    next: () =>
      rest.next().catch((error: unknown) => {
        throw explain(error, origin, timeoutMs);
      }),
    return: () => rest.return?.() ?? Promise.resolve({ done: true, value: undefined }),
    [Symbol.asyncIterator]: () => explaining,
  };
  return explaining;
}

/** How an upstream compares with the tip that clients have seen. */
export interface Lag {
  readonly origin: string;
  /** Height of its best block. */
  readonly height: number;
  /** Height of the tip that clients have seen. */
  readonly told: number;
  /** Whether its best block is known to be on the same chain. */
  readonly ancestor: boolean;
}

function behindFailure({ origin, height, told }: Lag, also: { message: string } | undefined): Failure {
  const blocks = told - height;
  const difference =
    blocks > 1
      ? phrase('reason.blocks-behind', { blocks, height, told })
      : phrase(blocks === 1 ? 'reason.block-behind' : 'reason.less-work', { height, told });
  const options = { detail: { origin, height, told, behind: blocks } };
  if (also === undefined) return new PlanchetError('upstream.behind', { origin, difference }, options).toFailure();
  const values = { origin, difference, also: [also] };
  return new PlanchetError('upstream.behind-others-silent', values, options).toFailure();
}

/** An upstream cannot answer because it lacks blocks that clients have already seen. This is not its fault, and another one may answer. */
export class BehindError extends PlanchetError {
  readonly lag: Lag;

  /** @param also why another upstream does not answer either */
  constructor(lag: Lag, also?: { message: string }) {
    super(behindFailure(lag, also));
    this.lag = lag;
  }
}
