import { type Network, PlanchetError } from '../../../../contract/index.ts';
import { chainNames } from '../../blocks/network-chains.ts';
import { basic, keyHeaders, readAddress } from '../request-headers.ts';
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
  const { url, credential } = readAddress(
    address,
    () => new PlanchetError('settings.address-unreadable', {}, { detail: { field: 'bitcoinRpcUrl' } }),
  );
  const headers = credential === ':' ? keyHeaders(apiKey, apiKeyHeader) : { authorization: basic(credential) };
  url.username = '';
  url.password = '';
  return { subject: 'upstream', address: url.href, headers, ignoreCertificate, chains: chainNames[network] };
}
