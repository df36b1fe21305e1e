import type { Contract, Serves, WalletStatus } from '../../../contract/index.ts';

/** A wallet with a status and an address; the tests of the transports use nothing else of it. */
export function createFakeWallet(status: WalletStatus, ownAddress: string): Serves<Contract['wallet']> {
  const known: Partial<Serves<Contract['wallet']>> = {
    status: () => status,
    validateAddress: ({ address }) => ({
      valid: address === ownAddress,
      failure: null,
      own: address === ownAddress,
      contact: null,
      resembles: null,
    }),
    contacts: { list: () => [], save: (contact) => contact, remove: () => undefined, acceptKey: () => undefined },
  };
  return known as Serves<Contract['wallet']>;
}
