import type { Command } from 'commander';
import { type MerchantKey, PlanchetError } from '../../contract/index.ts';
import type { Shell } from './shared/run.ts';
import { joined, printAnswer, withClient } from './shared/with-client.ts';

/** Adds `planchet merchant …`: the keys that sign the answers of merchant APIs. */
export function addMerchantCommands(program: Command, shell: Shell): void {
  const { globals, output } = shell;
  const merchant = program.command('merchant').description('the keys that sign the answers of merchant APIs');
  merchant
    .command('keys')
    .description('the known key of every merchant API, and the last one that was refused')
    .action(() => printAnswer(shell, (client) => client.merchant.keys(), joined(keyText)));
  merchant
    .command('accept')
    .argument('<key>', 'the public key in hex, or "unsigned" for answers without a signature')
    .option('--endpoint <url>', 'whose key it is (default: the merchant API in use)')
    .description('accept another key from now on')
    .action(async (text: string, options: { endpoint?: string }) => {
      const publicKey = readKey(text);
      const key = await withClient(globals(), async (client) => {
        const endpoint = options.endpoint ?? (await client.app.info()).endpoints.mapi;
        if (endpoint === null) throw new PlanchetError('merchant.no-endpoint');
        return client.merchant.acceptKey({ endpoint, publicKey });
      });
      output().result(key, keyText(key));
    });
}

function readKey(text: string): string | null {
  if (text === 'unsigned') return null;
  const key = text.toLowerCase();
  if (/^0[23][0-9a-f]{64}$/.test(key)) return key;
  throw new PlanchetError('merchant.key-malformed', { text });
}

function keyText({ endpoint, publicKey, since, pinned, refused }: MerchantKey): string {
  const lines = [
    endpoint,
    `  ${publicKey ?? 'unsigned'}, known since ${new Date(since).toISOString()}${pinned ? ', pinned in mapiPublicKey' : ''}`,
  ];
  if (refused !== null)
    lines.push(`  refused ${refused.publicKey ?? 'unsigned'} at ${new Date(refused.at).toISOString()}`);
  return lines.join('\n');
}
