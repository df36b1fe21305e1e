import { type AddressFault, addressNetwork, ChainError, decodeAddress, toHex } from '../../../chain/index.ts';
import { type Failure, type Network, PlanchetError } from '../../../contract/index.ts';
import type { WalletKey } from './wallet-key.ts';

const FIRST_CHARACTER = { main: '1', test: 'm/n' } as const;
const faults = {
  length: 'wallet.address-length',
  characters: 'wallet.address-characters',
  checksum: 'wallet.address-checksum',
  kind: 'wallet.address-kind',
} as const satisfies Record<AddressFault, string>;
const notOn = {
  main: 'wallet.address-not-on-main',
  test: 'wallet.address-not-on-test',
  sandbox: 'wallet.address-not-on-sandbox',
  private: 'wallet.address-not-on-sandbox',
} as const satisfies Record<Network, string>;

/**
 * Reads an address that must belong to the given network.
 * @returns its 20-byte public key hash
 * @throws PlanchetError `address-invalid`, `address-wrong-network`
 */
export function checkAddress(address: string, network: Network): Uint8Array {
  const wanted = addressNetwork(network);
  const prefix = FIRST_CHARACTER[wanted];
  let decoded: ReturnType<typeof decodeAddress>;
  try {
    decoded = decodeAddress(address.trim());
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new PlanchetError(faults[error.data.fault as AddressFault], { prefix }, { cause: error });
  }
  if (decoded.network === wanted) return decoded.pubKeyHash;
  throw new PlanchetError(notOn[network], { prefix });
}

/** Whether an address can be paid on a network, why not, and whether it is one of these keys. */
export function tellAddress(
  address: string,
  network: Network,
  keys: readonly Pick<WalletKey, 'pubKeyHash'>[],
): { valid: boolean; failure: Failure | null; own: boolean } {
  try {
    const hash = toHex(checkAddress(address, network));
    return { valid: true, failure: null, own: keys.some(({ pubKeyHash }) => pubKeyHash === hash) };
  } catch (error) {
    if (!(error instanceof PlanchetError)) throw error;
    return { valid: false, failure: error.toFailure(), own: false };
  }
}
