import type { Command } from 'commander';
import { projectNamed } from '../shared/project-named.ts';
import type { Shell } from '../shared/run.ts';
import { withClient } from '../shared/with-client.ts';
import { PublishedFolder } from './published-folder.ts';

interface PublishOptions {
  project: string;
  out: string;
  baseUrl?: string;
  replace: boolean;
}

/** Adds `planchet publish`: the tokens of a project as a folder of pages for any web server. */
export function addPublishCommand(program: Command, { globals, output }: Shell): void {
  program
    .command('publish')
    .description('write pages that show the minted tokens of a project, as a folder for any web server')
    .requiredOption('--project <name>', 'the project, by its name or id')
    .requiredOption('--out <folder>', 'the new folder')
    .option('--base-url <url>', 'where the folder will stand, for previews of links and for collectors’ tools')
    .option('--replace', 'replace pages that were published to this folder before', false)
    .action(async ({ project, out, baseUrl, replace }: PublishOptions) => {
      const result = await withClient(globals(), async (client, { interrupted }) => {
        const { uid } = await projectNamed(client, project);
        const folder = new PublishedFolder(out, replace);
        // After Ctrl+C, nothing is left half written.
        interrupted.addEventListener('abort', () => folder.discard());
        try {
          const { id, tokens, parts } = await client.tokens.publishing.plan({
            projectUid: uid,
            baseUrl: baseUrl ?? null,
          });
          let files = 0;
          for (let part = 0; part < parts && !interrupted.aborted; part++) {
            const made = await client.tokens.publishing.part({ id, part });
            const content = new Uint8Array(await made.content.arrayBuffer());
            let at = 0;
            for (const { path, bytes } of made.files) {
              folder.write(path, content.subarray(at, at + bytes));
              at += bytes;
            }
            files += made.files.length;
            if (isTenth(part + 1, parts)) output().note(`${part + 1} of ${parts} parts, ${files} files`);
          }
          // The process ends by the signal.
          if (interrupted.aborted) return { folder: out, tokens: 0, files: 0 };
          return { folder: folder.finish(), tokens, files };
        } finally {
          folder.discard();
        }
      });
      output().result(
        result,
        `${result.folder}: ${result.tokens} token${result.tokens === 1 ? '' : 's'}, ${result.files} files`,
      );
    });
}

/** Whether a tenth of the parts is done with this one. */
function isTenth(done: number, parts: number): boolean {
  return Math.floor((done / parts) * 10) > Math.floor(((done - 1) / parts) * 10);
}
