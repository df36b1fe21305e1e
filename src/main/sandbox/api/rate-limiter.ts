/** Maximum clients tracked; the ones with the oldest requests are evicted. */
const MAX_CLIENTS = 10_000;

/** Token bucket per client: a number of requests per second, with a burst of one second's worth. */
export class RateLimiter {
  readonly #limit: () => number;
  readonly #left = new Map<string, { tokens: number; at: number }>();

  /** @param limit requests per second, read on every request; 0 for no limit */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Counts one request. @returns 0 if it may proceed, otherwise the seconds to wait */
  take(client: string): number {
    const limit = this.#limit();
    if (limit === 0) return 0;
    const now = performance.now();
    const { tokens, at } = this.#left.get(client) ?? { tokens: limit, at: now };
    const available = Math.min(limit, tokens + ((now - at) * limit) / 1_000);
    this.#left.delete(client);
    this.#left.set(client, { tokens: available >= 1 ? available - 1 : available, at: now });
    const [oldest] = this.#left.keys();
    if (this.#left.size > MAX_CLIENTS && oldest !== undefined) this.#left.delete(oldest);
    return available >= 1 ? 0 : Math.max(1, Math.ceil((1 - available) / limit));
  }
}
