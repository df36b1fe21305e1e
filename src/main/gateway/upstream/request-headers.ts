import type { PlanchetError } from '../../../contract/index.ts';
import { validateHeaderName, validateHeaderValue } from '../../http/node-http.ts';
import type { SettingsView } from '../../ports/settings.ts';

/** An upstream, by the header of the credential in its address. */
type Authorised = Readonly<{ basic?: string | undefined }>;

export interface Credentials {
  settings: SettingsView;
  /** The key to send to upstreams whose address contains no user and password. */
  apiKey: () => string | undefined;
}

/**
 * The headers of a JSON-RPC call.
 * @throws TypeError if the key or the name of its header is not allowed in a head
 */
export function callHeaders(upstream: Authorised, credentials: Credentials): Record<string, string> {
  const headers = { 'content-type': 'application/json', ...credentialHeaders(upstream, credentials) };
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  return headers;
}

/** The headers that authenticate the gateway to an upstream. */
export function credentialHeaders({ basic }: Authorised, { settings, apiKey }: Credentials): Record<string, string> {
  return basic === undefined ? keyHeaders(apiKey(), settings.current().apiKeyHeader) : { authorization: basic };
}

/** The header that carries an API key; none without a key. */
export function keyHeaders(key: string | undefined, header: string): Record<string, string> {
  if (!key) return {};
  const name = header.toLowerCase();
  return { [name]: name === 'authorization' ? `Bearer ${key}` : key };
}

/** @param credential `user:password` */
export function basic(credential: string): string {
  return `Basic ${Buffer.from(credential).toString('base64')}`;
}

/**
 * Reads the address of an upstream.
 * @param fault the error for one that cannot be read
 * @returns the credential as `user:password`; a colon alone where the address has none
 */
export function readAddress(address: string, fault: () => PlanchetError): { url: URL; credential: string } {
  try {
    const url = new URL(address);
    return { url, credential: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` };
  } catch {
    // The address may contain a password, so the error shows neither the address nor the cause, which repeats it.
    throw fault();
  }
}
