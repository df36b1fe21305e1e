import { PlanchetError, type WalletStatus } from '../../../contract/index.ts';
import type { Client } from './run.ts';

/** The state of a wallet that can be used. @throws PlanchetError `wallet-missing` | `vault-locked` | `conflict` where another wallet than the known one answers */
export async function ownWallet(client: Client): Promise<WalletStatus & { address: string }> {
  const { address, ...status } = await client.wallet.status();
  if (address !== null) return { ...status, address };
  if (status.state !== 'locked') throw new PlanchetError('wallet.missing', { network: status.network });
  const refused = (await client.wallet.external.get())?.refused;
  throw refused ? new PlanchetError(refused) : new PlanchetError('cli.wallet-locked');
}
