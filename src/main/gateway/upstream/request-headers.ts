import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { SettingsView } from '../../ports/settings.ts';
import type { Upstream } from './pool.ts';

export interface Credentials {
  settings: SettingsView;
  /** The key to send to upstreams whose address contains no user and password. */
  apiKey: () => string | undefined;
}

/**
 * The headers of a JSON-RPC call.
 * @throws TypeError if the key or the name of its header is not allowed in a head
 */
export function callHeaders(upstream: Upstream, credentials: Credentials): Record<string, string> {
  const headers = { 'content-type': 'application/json', ...credentialHeaders(upstream, credentials) };
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  return headers;
}

/** The headers that authenticate the gateway to an upstream. */
export function credentialHeaders({ basic }: Upstream, { settings, apiKey }: Credentials): Record<string, string> {
  if (basic !== undefined) return { authorization: basic };
  const key = apiKey();
  if (key === undefined || key === '') return {};
  const name = settings.current().apiKeyHeader.toLowerCase();
  return { [name]: name === 'authorization' ? `Bearer ${key}` : key };
}
