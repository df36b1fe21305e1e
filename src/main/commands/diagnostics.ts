import type { Command } from 'commander';
import { writeFreeFile, writeNewFile } from './shared/new-file.ts';
import type { Shell } from './shared/run.ts';
import { withClient } from './shared/with-client.ts';

export function addDiagnosticsCommand(program: Command, { globals, output }: Shell): void {
  program
    .command('diagnostics')
    .description('a zip that describes this installation to somebody who helps, without secrets')
    .option('--out <file>', 'the new file (default: planchet-diagnostics-<day>.zip, with a number where there is one)')
    .action(async ({ out }: { out?: string }) => {
      const { file, names } = await withClient(globals(), async (client) => {
        const { id, fileName, files } = await client.diagnostics.preview();
        const zip = await client.diagnostics.zip({ id });
        const bytes = new Uint8Array(await zip.arrayBuffer());
        if (out !== undefined) writeNewFile(out, bytes, 0o600);
        return { file: out ?? writeFreeFile(fileName, bytes, 0o600), names: files.map(({ name }) => name) };
      });
      output().result({ file, files: names }, file);
    });
}
