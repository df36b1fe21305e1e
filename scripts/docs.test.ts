import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './paths.ts';

const pages = globSync(['*.md', 'deploy/*.md', 'docs/**/*.md'], { cwd: root });
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

const sources = globSync(['*.ts', 'docs/.vitepress/*.ts', '{src,e2e,bench,scripts}/**/*.{ts,tsx}'], { cwd: root }).map(
  (path) => `/${path}`,
);

/** What a page names in this repository: the targets of its links, and the paths it writes as code. */
function namedPaths(page: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target as string);
  const inside = links.filter((target) => !/^[a-z]+:/.test(target)).map((target) => join(dirname(page), target));
  const paths = [...text.matchAll(/`((?:src|docs|e2e|bench|scripts|resources)\/[\w./-]*)`/g)];
  return [...inside, ...paths.map(([, path]) => path as string)];
}

/** Every text of the window, as a pattern: what stands in for a value matches any. */
const windowTexts = globSync(['src/renderer/**/en.json', 'src/renderer/i18n/en/*.json'], { cwd: root }).flatMap(
  (path) => textsOf(JSON.parse(readFileSync(join(root, path), 'utf8'))),
);

function textsOf(node: unknown): RegExp[] {
  if (typeof node !== 'string') return Object.values(node as object).flatMap(textsOf);
  const parts = node.split(/\{\{[^}]*\}\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return parts.join('') === '' ? [] : [new RegExp(`^${parts.join('.+')}$`)];
}

/** What a page tells to choose in the window: bold words, and their parts where they lead through several (`Help › Log`). A bold sentence is none. */
function windowWords(page: string, text: string): string[] {
  const isGuide = /^docs\/(?:guide|integrate|operate)\//.test(page.replaceAll('\\', '/'));
  const bold = [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, words]) => words as string);
  return bold
    .filter((words) => words.includes(' › ') || (isGuide && !/[.:]$/.test(words)))
    .flatMap((words) => words.split(' › '));
}

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');

  it('names only files and folders there are', () => {
    expect(namedPaths(page, text).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names only sources and tests there are', () => {
    const named = [...text.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, path]) => path as string);
    expect(named.filter((path) => !sources.some((source) => source.endsWith(`/${path}`)))).toEqual([]);
  });

  it('tells to choose only what the window has', () => {
    expect(windowWords(page, text).filter((words) => !windowTexts.some((pattern) => pattern.test(words)))).toEqual([]);
  });

  it('names only scripts of package.json', () => {
    const named = [...text.matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name as string);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

it('looks at every page', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md', join('docs', 'gateway.md')]));
});
