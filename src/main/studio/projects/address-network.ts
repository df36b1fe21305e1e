import type { AddressNetwork } from '../../../chain/index.ts';
import type { Network } from '../../../contract/index.ts';

/** The sandbox uses the addresses of the test network. */
export function addressNetwork(network: Network): AddressNetwork {
  return network === 'main' ? 'main' : 'test';
}
