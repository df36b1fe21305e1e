import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { SettingsView } from '../../ports/settings.ts';
import type { Upstream } from './pool.ts';

export interface RequestHeaderCacheOptions {
  settings: SettingsView;
  /** The key to send to upstreams whose address contains no user and password. */
  apiKey: () => string | undefined;
}

/** Caches the heads of JSON-RPC requests. With unchanged settings they differ only in the length of the body. */
export class RequestHeaderCache {
  readonly #options: RequestHeaderCacheOptions;
  readonly #known = new WeakMap<Upstream, { key: string | undefined; name: string; head: string }>();

  constructor(options: RequestHeaderCacheOptions) {
    this.#options = options;
  }

  /**
   * The head for a call's body.
   * @throws TypeError if the key or the name of its header is not allowed in a head
   */
  of(upstream: Upstream, body: string): string {
    const key = upstream.basic === undefined ? this.#options.apiKey() : undefined;
    const name = this.#options.settings.current().apiKeyHeader;
    const known = this.#known.get(upstream);
    if (known !== undefined && known.key === key && known.name === name) {
      return `${known.head}${Buffer.byteLength(body)}\r\n\r\n`;
    }
    const headers = { host: upstream.host, 'content-type': 'application/json', ...this.credential(upstream) };
    const lines = Object.entries(headers).map(([header, value]) => {
      validateHeaderName(header);
      validateHeaderValue(header, value);
      return `${header}: ${value}\r\n`;
    });
    const head = `POST ${upstream.path} HTTP/1.1\r\n${lines.join('')}connection: keep-alive\r\ncontent-length: `;
    this.#known.set(upstream, { key, name, head });
    return this.of(upstream, body);
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
