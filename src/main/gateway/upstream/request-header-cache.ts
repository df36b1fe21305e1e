import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { SettingsView } from '../../ports/settings.ts';
import type { Upstream } from './pool.ts';

export interface RequestHeaderCacheOptions {
  settings: SettingsView;
  /** The key to send to upstreams whose address contains no user and password. */
  apiKey: () => string | undefined;
}

/** Caches the headers of JSON-RPC requests. With unchanged settings they are the same for every call to an upstream. */
export class RequestHeaderCache {
  readonly #options: RequestHeaderCacheOptions;
  readonly #known = new WeakMap<Upstream, { key: string | undefined; name: string; headers: Record<string, string> }>();

  constructor(options: RequestHeaderCacheOptions) {
    this.#options = options;
  }

  /**
   * The headers of a call.
   * @throws TypeError if the key or the name of its header is not allowed in a head
   */
  of(upstream: Upstream): Record<string, string> {
    const key = upstream.basic === undefined ? this.#options.apiKey() : undefined;
    const name = this.#options.settings.current().apiKeyHeader;
    const known = this.#known.get(upstream);
    if (known !== undefined && known.key === key && known.name === name) return known.headers;
    const headers = { 'content-type': 'application/json', ...this.credential(upstream) };
    for (const [header, value] of Object.entries(headers)) {
      validateHeaderName(header);
      validateHeaderValue(header, value);
    }
    this.#known.set(upstream, { key, name, headers });
    return headers;
  }

  /** The headers that authenticate the gateway to the upstream. */
  credential(upstream: Upstream): Record<string, string> {
    const headers: Record<string, string> = {};
    if (upstream.basic !== undefined) {
      headers.authorization = upstream.basic;
      return headers;
    }
    const key = this.#options.apiKey();
    if (key === undefined || key === '') return headers;
    const name = this.#options.settings.current().apiKeyHeader.toLowerCase();
    headers[name] = name === 'authorization' ? `Bearer ${key}` : key;
    return headers;
  }
}
