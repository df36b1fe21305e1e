const HEADERS_TIMEOUT_MS = 10_000;
/** For the whole request; also how long an idle connection is kept, as in the node. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** What a client may send, and how long it may take. Sizes in bytes, times in milliseconds. */
export interface HttpLimits {
  readonly bodyBytes: number;
  readonly batchCalls: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

export const usualLimits: HttpLimits = {
  bodyBytes: 32 * 1024 * 1024,
  batchCalls: 1_000,
  headersTimeoutMs: HEADERS_TIMEOUT_MS,
  requestTimeoutMs: REQUEST_TIMEOUT_MS,
};
