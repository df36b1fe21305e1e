import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { SettingsView } from '../../ports/settings.ts';
import type { Upstream } from './pool.ts';

export interface RequestHeaderCacheOptions {
  settings: SettingsView;
  /** The key sent to upstreams whose address holds no user and password. */
  apiKey: () => string | undefined;
}

/** The heads of JSON-RPC requests, which differ in the length of the body alone while the settings stay. */
export class RequestHeaderCache {
  readonly #options: RequestHeaderCacheOptions;
  readonly #known = new WeakMap<Upstream, { key: string | undefined; name: string; head: string }>();

  constructor(options: RequestHeaderCacheOptions) {
    this.#options = options;
  }

  /**
   * What stands before a call's body.
   * @throws TypeError where the key or its header's name cannot stand in a head
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

  /** Headers that tell the upstream who asks. */
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
