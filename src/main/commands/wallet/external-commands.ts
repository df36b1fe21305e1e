import type { Command } from 'commander';
import { type ExternalWalletKey, PlanchetError, withHint } from '../../../contract/index.ts';
import type { Shell } from '../shared/run.ts';
import { withClient } from '../shared/with-client.ts';

/** Adds `wallet external` and `wallet accept`: whose keys a wallet outside Planchet has. */
export function addExternalCommands(wallet: Command, { globals, output }: Shell): void {
  wallet
    .command('external')
    .description('the wallet outside Planchet that signs: its known key, and the last one that was refused')
    .action(async () => {
      const external = await withClient(globals(), (client) => client.wallet.external.get());
      if (external === null) throw new PlanchetError('wallet.no-external');
      output().result(external, externalText(external));
    });
  wallet
    .command('accept')
    .argument('<key>', 'its identity key in hex')
    .description('take another wallet for the one that signs')
    .action(async (text: string) => {
      const identityKey = text.toLowerCase();
      const status = await withClient(globals(), (client) => client.wallet.external.accept({ identityKey }));
      output().result(status, `${identityKey} signs from now on. The wallet receives at ${status.address}`);
    });
}

function externalText({ url, identityKey, since, refused }: ExternalWalletKey): string {
  const known =
    identityKey === null ? 'not known yet' : `${identityKey}, known since ${new Date(since ?? 0).toISOString()}`;
  return [url, `  ${known}`, ...(refused === null ? [] : [`  ${withHint(refused)}`])].join('\n');
}
