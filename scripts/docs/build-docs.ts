import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint } from '../build/fingerprint.ts';
import { root, tools } from '../paths.ts';
import { writeDocsSource } from './docs-source.ts';

/** Folder of the built site. */
export const docsOutput = join(root, 'out', 'docs');

const stampFile = join(root, 'out', '.docs-built-from');
const sources = [
  'docs',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'deploy/README.md',
  'resources/icon.svg',
  'scripts/docs/build-docs.ts',
  'scripts/docs/docs-source.ts',
];

/** Builds the site unless what is built came from exactly these documents. */
export function buildDocsIfStale(): void {
  const wanted = fingerprint(sources);
  const built = existsSync(join(docsOutput, 'index.html')) && existsSync(stampFile);
  if (!built || readFileSync(stampFile, 'utf8') !== wanted) buildDocs();
}

/** Builds the site of the documents. Ends the process with what is wrong where a page links to nothing. */
export function buildDocs(): void {
  const from = fingerprint(sources);
  // A build that is broken off leaves no site that looks whole.
  rmSync(stampFile, { force: true });
  writeDocsSource();
  const result = spawnSync(process.execPath, [tools.vitepress, 'build', 'docs'], { cwd: root, encoding: 'utf8' });
  if (result.status !== 0) {
    process.stderr.write(`\n${result.stdout}${result.stderr}\nThe documents could not be built.\n`);
    process.exit(1);
  }
  moveScripts();
  writeFileSync(stampFile, from);
}

/** Scripts inside a page become files, so that the policy of the site need not allow any script but its files. */
function moveScripts(): void {
  const folder = join(docsOutput, 'start');
  mkdirSync(folder, { recursive: true });
  for (const name of globSync('**/*.html', { cwd: docsOutput })) {
    const file = join(docsOutput, name);
    const page = readFileSync(file, 'utf8').replace(
      /<script id="([\w-]+)">([\s\S]*?)<\/script>/g,
      (_, id: string, script: string) => {
        writeFileSync(join(folder, `${id}.js`), script);
        return `<script src="/docs/start/${id}.js"></script>`;
      },
    );
    writeFileSync(file, page);
  }
}
