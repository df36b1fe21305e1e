import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOfPages } from '../../docs/.vitepress/pages.ts';
import { fingerprint } from '../build/fingerprint.ts';
import { root, tools } from '../paths.ts';
import { docsSource, writeDocsSource } from './docs-source.ts';

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

/** Builds the site unless it is up to date. */
export function buildDocsIfStale(): void {
  const wanted = fingerprint(sources);
  const built = existsSync(join(docsOutput, 'index.html')) && existsSync(stampFile);
  if (!built || readFileSync(stampFile, 'utf8') !== wanted) buildDocs();
}

/** Builds the site of the documents. Exits with the error if a page has a dead link. */
export function buildDocs(): void {
  const from = fingerprint(sources);
  // An aborted build leaves no site that looks complete.
  rmSync(stampFile, { force: true });
  writeDocsSource();
  const result = spawnSync(process.execPath, [tools.vitepress, 'build', 'docs'], { cwd: root, encoding: 'utf8' });
  if (result.status !== 0) {
    process.stderr.write(`\n${result.stdout}${result.stderr}\nThe documents could not be built.\n`);
    process.exit(1);
  }
  moveScripts();
  writeFileSync(join(docsOutput, 'headings.json'), JSON.stringify(headingsOf(docsOutput)));
  writeFileSync(stampFile, from);
}

/** Pages for developers of the program. */
const ofMakers = /^(?:decisions|proofs|changelog|contributing|architecture|404)\b/;

interface Heading {
  /** File and anchor below the folder. */
  at: string;
  text: string;
  /** Title of its page. */
  page: string;
  /** Its section in the list of pages; empty for the first page. */
  section: string;
}

/**
 * Every heading of the built site that is for users of the program, for the search and the help of the application, in the order of the list of pages.
 * @param folder of the built site
 */
function headingsOf(folder: string): Heading[] {
  const places = listOfPages(docsSource).flatMap(({ text, items = [] }) =>
    items.map(({ link = '' }): [string, string] => [`${link.slice(1)}${link.endsWith('/') ? 'index' : ''}.html`, text]),
  );
  const order = places.map(([name]) => name);
  const sections = new Map(places);
  return globSync('**/*.html', { cwd: folder })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => !ofMakers.test(name))
    .sort((a, b) => order.indexOf(a) - order.indexOf(b))
    .flatMap((name) => {
      const html = readFileSync(join(folder, name), 'utf8');
      const found = [...html.matchAll(/<h([12]) id="([^"]+)"[^>]*>(.*?)<a class="header-anchor"/gs)];
      const headings = found.map(([, depth, anchor = '', inner = '']) => ({
        depth,
        at: depth === '1' ? name : `${name}#${anchor}`,
        text: plainText(inner),
      }));
      const page = headings.find(({ depth }) => depth === '1')?.text ?? '';
      return headings.map(({ at, text }) => ({ at, text, page, section: sections.get(name) ?? '' }));
    });
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The text of HTML made by VitePress. */
function plainText(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&(#39|\w+);/g, (whole, name: string) => entities[name] ?? whole)
    .replaceAll('\u200b', '')
    .trim();
}

/** Moves inline scripts into files, so that the policy of the site need allow only its files. */
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
