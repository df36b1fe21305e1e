import { type Network, PlanchetError } from '../../../../contract/index.ts';
import { chainNames } from '../../blocks/network-chains.ts';
import type { TestSubject } from './connection-test.ts';

/**
 * What a test of an upstream needs: its address without credentials, and the header that carries them.
 * @param address as the setting has it, perhaps with user and password
 * @throws PlanchetError `invalid-input` for an address that cannot be read
 */
export function upstreamSubject(
  address: string,
  options: { network: Network; apiKey: string | undefined; apiKeyHeader: string; ignoreCertificate: boolean },
): TestSubject {
  const { network, apiKey, apiKeyHeader, ignoreCertificate } = options;
  let url: URL;
  let credential: string;
  try {
    url = new URL(address);
    credential = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  } catch {
    // The address may contain a password, so the error shows neither the address nor the cause, which repeats it.
    throw new PlanchetError('settings.address-unreadable', {}, { detail: { field: 'bitcoinRpcUrl' } });
  }
  const headers: Record<string, string> = {};
  if (credential !== ':') headers.authorization = basic(credential);
  else if (apiKey && apiKeyHeader.toLowerCase() === 'authorization') headers.authorization = `Bearer ${apiKey}`;
  else if (apiKey) headers[apiKeyHeader.toLowerCase()] = apiKey;
  url.username = '';
  url.password = '';
  return { subject: 'upstream', address: url.href, headers, ignoreCertificate, chains: chainNames[network] };
}

/** @param credential `user:password` */
export function basic(credential: string): string {
  return `Basic ${Buffer.from(credential).toString('base64')}`;
}
