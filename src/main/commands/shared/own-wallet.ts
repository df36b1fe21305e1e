import { PlanchetError, type WalletStatus } from '../../../contract/index.ts';
import type { Client } from './run.ts';

/** The state of a wallet that can be used. @throws PlanchetError `wallet-missing` | `vault-locked` */
export async function ownWallet(client: Client): Promise<WalletStatus & { address: string }> {
  const { address, ...status } = await client.wallet.status();
  if (address !== null) return { ...status, address };
  throw status.state === 'locked'
    ? new PlanchetError('cli.wallet-locked')
    : new PlanchetError('wallet.missing', { network: status.network });
}
