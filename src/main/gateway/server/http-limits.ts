/** Limit of a whole request, and of an idle connection, as in the node. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** Limits of requests. Sizes in bytes, times in milliseconds. */
export interface HttpLimits {
  readonly bodyBytes: number;
  readonly batchCalls: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

export const usualLimits: HttpLimits = {
  bodyBytes: 32 * 1024 * 1024,
  batchCalls: 1_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: REQUEST_TIMEOUT_MS,
};
