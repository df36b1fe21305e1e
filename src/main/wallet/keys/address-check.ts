import { ChainError, decodeAddress } from '../../../chain/index.ts';
import { type Network, PlanchetError } from '../../../contract/index.ts';
import { addressNetwork } from './wallet-key.ts';

const FIRST_CHARACTER = { main: '1', test: 'm or n' } as const;

/**
 * Reads an address that must belong to the given network.
 * @returns its 20-byte public key hash
 * @throws PlanchetError `address-invalid`, `address-wrong-network`
 */
export function checkAddress(address: string, network: Network): Uint8Array {
  const wanted = addressNetwork(network);
  let decoded: ReturnType<typeof decodeAddress>;
  try {
    decoded = decodeAddress(address.trim());
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new PlanchetError(
      'wallet.address-invalid',
      { reason: error.message, prefix: FIRST_CHARACTER[wanted] },
      { cause: error },
    );
  }
  if (decoded.network === wanted) return decoded.pubKeyHash;
  const here = network === 'sandbox' ? 'the sandbox' : `the ${network} network`;
  const there = decoded.network === 'main' ? 'the main network' : 'the test network or a sandbox';
  throw new PlanchetError('wallet.address-wrong-network', { there, here, prefix: FIRST_CHARACTER[wanted] });
}
