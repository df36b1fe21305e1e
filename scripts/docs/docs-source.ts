import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { root } from '../paths.ts';

/** Folder of the pages for the site generator. */
export const docsSource = join(root, 'out', 'docs-source');

/** Documents outside `docs/` that are pages of the site. */
const outside: Readonly<Record<string, string>> = {
  'ARCHITECTURE.md': 'architecture.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'README.md': 'index.md',
  'deploy/README.md': 'operate/servers.md',
};

/** Every document of the repository, by its path, with the path of its page in the site. */
export function documents(): Map<string, string> {
  const inside = globSync('docs/**/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  const pages = inside.sort().map((path) => [path, path.slice('docs/'.length)] as const);
  // The start page of the site is a page of its own, since the README describes the repository.
  const others = Object.entries(outside).filter(([path]) => path !== 'README.md');
  return new Map([...pages, ...others]);
}

/** Writes the pages of the site: every document with its links turned into links of the site. */
export function writeDocsSource(): void {
  const pages = documents();
  rmSync(docsSource, { recursive: true, force: true });
  for (const [path, page] of pages) write(page, sitePage(path, readFileSync(join(root, path), 'utf8'), pages));
  write('decisions/index.md', decisionsPage(pages));
  if (existsSync(join(root, 'docs', 'images'))) {
    cpSync(join(root, 'docs', 'images'), join(docsSource, 'images'), { recursive: true });
  }
}

function write(page: string, text: string): void {
  const file = join(docsSource, page);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/**
 * A document as a page of the site. Links to documents lead to their pages; links to sources and folders become plain text, since the site
 * contains no sources.
 * @param path of the document in the repository
 * @param pages the result of `documents()`
 */
export function sitePage(path: string, text: string, pages: ReadonlyMap<string, string>): string {
  const from = posix.dirname(pages.get(path) ?? path);
  return outsideOfCode(text, (words) =>
    words
      .replace(/^<!--[\s\S]*?-->\n?/gm, '')
      .replace(
        /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g,
        (whole, bang: string, label: string, link: string) => {
          if (/^[a-z]+:/i.test(link) || link.startsWith('#')) return whole;
          const [target = '', anchor] = link.split('#', 2);
          const named = posix.join(posix.dirname(path), target).replace(/\/$/, '');
          if (bang !== '') return `![${label}](${toSite(from, named.replace(/^docs\//, ''))})`;
          const page = named === 'docs/decisions' ? 'decisions/index.md' : (pages.get(named) ?? outside[named]);
          if (page === undefined) return label;
          return `[${label}](${toSite(from, page)}${anchor === undefined ? '' : `#${anchor}`})`;
        },
      ),
  );
}

function toSite(from: string, page: string): string {
  const path = posix.relative(from, page);
  return path.startsWith('.') ? path : `./${path}`;
}

/** Applies a change outside fenced blocks and inline code. */
function outsideOfCode(text: string, change: (words: string) => string): string {
  return text
    .split(/^([ \t]*(?:```|~~~)[^\n]*\n[\s\S]*?^[ \t]*(?:```|~~~)[ \t]*$)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}

function decisionsPage(pages: ReadonlyMap<string, string>): string {
  const rows = [...pages]
    .filter(([path]) => path.startsWith('docs/decisions/'))
    .map(([path]) => {
      const title = /^# (.+)$/m.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? path;
      return `- [${title}](./${posix.basename(path)})`;
    });
  return `# Decisions\n\nWhat was decided, and why.\n\n${rows.join('\n')}\n`;
}

/** Bytes of a folder with everything below it, and how many files. */
export function sizeOf(folder: string): { bytes: number; files: number } {
  const files = globSync('**/*', { cwd: folder }).map((name) => statSync(join(folder, name)));
  const kept = files.filter((file) => file.isFile());
  return { bytes: kept.reduce((sum, { size }) => sum + size, 0), files: kept.length };
}
