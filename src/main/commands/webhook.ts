import type { Command } from 'commander';
import type { WebhookStatus } from '../../contract/index.ts';
import type { Shell } from './shared/run.ts';
import { readSecret } from './shared/terminal.ts';
import { printAnswer, withClient } from './shared/with-client.ts';

/** Adds `planchet webhook …`: the address that is told of every state of a transaction. */
export function addWebhookCommands(program: Command, shell: Shell): void {
  const webhook = program.command('webhook').description('the address that is told of every state of a transaction');
  webhook
    .command('status')
    .description('whether it has a secret, what it was not told yet, and why')
    .action(() => printAnswer(shell, (client) => client.webhook.status(), webhookText));
  webhook
    .command('secret')
    .argument('<secret>', 'at least 16 characters; "-" reads it from the terminal or what is piped in')
    .description('store the secret that signs what it is told')
    .action(async (text: string) => {
      const secret = text === '-' ? await readSecret('Secret of the webhook: ') : text;
      const status = await withClient(shell.globals(), (client) => client.webhook.setSecret({ secret }));
      shell.output().result(status, 'stored');
    });
}

function webhookText({ url, hasSecret, waiting, attempts, failure }: WebhookStatus): string {
  if (url === '') return 'Nobody is told: the setting stateWebhook is empty.';
  const lines = [
    url,
    `  secret ${hasSecret ? 'stored' : 'missing: planchet webhook secret -'}`,
    `  ${waiting} states wait`,
  ];
  if (failure !== null) lines.push(`  ${attempts} attempts failed, the last because ${failure.text}`);
  return lines.join('\n');
}
