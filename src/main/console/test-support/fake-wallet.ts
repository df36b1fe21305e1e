import { PlanchetError, type WalletStatus } from '../../../contract/index.ts';
import type { WalletPort } from '../context.ts';

/** A wallet with a status and an address; the tests of the transports use nothing else of it. */
export function createFakeWallet(status: WalletStatus, ownAddress: string): WalletPort {
  const known: Partial<WalletPort> = {
    status: () => status,
    validateAddress: (address) => ({ valid: address === ownAddress, failure: null, own: address === ownAddress }),
  };
  return new Proxy(known as WalletPort, {
    get: (target, name) =>
      Reflect.get(target, name) ??
      (() => {
        throw new PlanchetError('wallet.not-ready');
      }),
  });
}
