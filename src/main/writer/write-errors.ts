import { type ErrorArguments, type ErrorId, httpStatusOf, PlanchetError } from '../../contract/index.ts';

/**
 * Codes of the writing client's error answers. 1 and 10 to 16 are those of older clients of this interface, with their meanings; the
 * rest is what those had no code for.
 */
export const writeCodes = {
  /** Missing, malformed or unknown API key, or a caller that may not call (HTTP 401 and 403). */
  authorization: 1,
  contentType: 10,
  emptyBody: 11,
  /** Too long, not UTF-8, not JSON, broken off. */
  body: 12,
  /** No coins, a fee over the cap, no wallet. */
  funding: 13,
  /** A tag, a mode or an output that cannot be. */
  output: 14,
  signing: 15,
  submission: 16,
  notFound: 20,
  method: 21,
  idempotency: 22,
  storage: 23,
  internal: 24,
  /** The queue is full for now; Retry-After says when to come again. */
  busy: 25,
  /** A query or a wait that cannot be understood. */
  query: 26,
} as const;

type WriteErrorId = Extract<ErrorId, `write-api.${string}`>;

/** An answer `{"status","code","error"}`. Its text and its HTTP status come from the error catalogue. */
export class WriteError<Id extends WriteErrorId = WriteErrorId> extends Error {
  override readonly name = 'WriteError';
  readonly status: number;
  /** One of {@link writeCodes}. */
  readonly code: number;
  /** Seconds after which the same request may be taken. */
  readonly retryAfter: number | undefined;
  /** The same error as an entry of the catalogue, with its hint. */
  readonly told: PlanchetError;

  /**
   * @param id entry of the catalogue; its placeholders name the values that are required
   * @param args the values, and in `detail.retryAfter` the seconds after which to send the request again
   */
  constructor(code: number, id: Id, ...args: ErrorArguments<Id>) {
    const error = new PlanchetError(id, ...args);
    super(error.message);
    this.told = error;
    this.status = httpStatusOf(error);
    this.code = code;
    this.retryAfter = error.detail?.retryAfter as number | undefined;
  }

  toBody(): { status: number; code: number; error: string } {
    return { status: this.status, code: this.code, error: this.message };
  }
}

const deadIds = {
  [writeCodes.funding]: 'write-api.dead-funding',
  [writeCodes.output]: 'write-api.dead-output',
  [writeCodes.signing]: 'write-api.dead-signing',
  [writeCodes.submission]: 'write-api.dead-submission',
} as const;

/**
 * The error of a document that was given up.
 * @param code of {@link writeCodes}: the step that failed
 */
export function deadError(code: number | null, reason: string | null): WriteError {
  const id = deadIds[code as keyof typeof deadIds] ?? 'write-api.dead';
  return new WriteError(code ?? writeCodes.internal, id, { reason: reason ?? 'no reason given' });
}
