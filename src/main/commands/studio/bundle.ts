import type { Command } from 'commander';
import { PlanchetError } from '../../../contract/index.ts';
import { writeNewFile } from '../shared/new-file.ts';
import { projectNamed } from '../shared/project-named.ts';
import type { Client, Shell } from '../shared/run.ts';
import { withClient } from '../shared/with-client.ts';

/** Adds `planchet bundle`: the proof of one token, or of all tokens of a project, as one file. */
export function addBundleCommand(program: Command, { globals, output }: Shell): void {
  program
    .command('bundle')
    .description('write the proof of a token or of a project to one file that any browser shows and verifies')
    .argument('[outpoint]', 'the token, as txid_vout')
    .option('--project <name>', 'all tokens of this project, by its name or id')
    .requiredOption('--out <file>', 'the new file')
    .action(async (outpoint: string | undefined, options: { project?: string; out: string }) => {
      const result = await withClient(globals(), async (client) => {
        const { bundle, tokens } = await client.tokens.bundle(await targetOf(client, outpoint, options.project));
        writeNewFile(options.out, new Uint8Array(await bundle.arrayBuffer()));
        return { file: options.out, tokens };
      });
      output().result(result, `${result.file}: ${result.tokens} token${result.tokens === 1 ? '' : 's'}`);
    });
}

/** Adds `planchet certificate`: a page about one token, to print or pass on. */
export function addCertificateCommand(program: Command, { globals, output }: Shell): void {
  program
    .command('certificate')
    .description('write a PDF page with the picture, name, traits, royalties, outpoint, block and a QR code of a token')
    .argument('<outpoint>', 'the token, as txid_vout')
    .requiredOption('--out <file>', 'the new PDF file')
    .option('--language <code>', 'en or de', 'en')
    .action(async (outpoint: string, { out, language }: { out: string; language: string }) => {
      await withClient(globals(), async (client) => {
        const page = await client.tokens.certificate({ outpoint, language });
        writeNewFile(out, new Uint8Array(await page.arrayBuffer()));
      });
      output().result({ file: out }, out);
    });
}

async function targetOf(
  client: Client,
  outpoint: string | undefined,
  project: string | undefined,
): Promise<{ outpoint: string } | { projectUid: string }> {
  if ((outpoint === undefined) === (project === undefined)) throw new PlanchetError('bundle.target-missing');
  if (outpoint !== undefined) return { outpoint };
  return { projectUid: (await projectNamed(client, project as string)).uid };
}
