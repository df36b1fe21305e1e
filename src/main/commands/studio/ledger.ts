import type { Command } from 'commander';
import { projectNamed } from '../shared/project-named.ts';
import type { Shell } from '../shared/run.ts';
import { withClient } from '../shared/with-client.ts';

/** Adds `planchet ledger`: one row an item of a project, with its outpoint, block, proof and share of the fee. */
export function addLedgerCommand(program: Command, { globals, output }: Shell): void {
  program
    .command('ledger')
    .description('list the items of a project with what proves their tokens')
    .requiredOption('--project <name>', 'the project, by its name or id')
    .option('--csv', 'as CSV instead of JSON', false)
    .action(async ({ project, csv }: { project: string; csv: boolean }) => {
      const format = csv && !globals().json ? 'csv' : 'json';
      const text = await withClient(globals(), async (client) => {
        const { uid } = await projectNamed(client, project);
        return (await client.tokens.exportLedger({ projectUid: uid, format })).text();
      });
      if (format === 'csv') process.stdout.write(text);
      else output().result(JSON.parse(text), text);
    });
}
