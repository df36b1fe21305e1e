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

/** An answer `{"status","code","error"}`. */
export class WriteError extends Error {
  override readonly name = 'WriteError';
  readonly status: number;
  readonly code: number;
  /** Seconds after which the same request may be taken. */
  readonly retryAfter: number | undefined;

  constructor(status: number, code: number, message: string, retryAfter?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }

  toBody(): { status: number; code: number; error: string } {
    return { status: this.status, code: this.code, error: this.message };
  }
}

/** What precedes the reason of a document that was given up, as older clients worded it. */
export const deadPhrases: Readonly<Record<number, string>> = {
  [writeCodes.funding]: 'failed to get funding',
  [writeCodes.output]: 'failed to create op return output',
  [writeCodes.signing]: 'failed to sign transaction',
  [writeCodes.submission]: 'failed to submit transaction',
};
