import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './paths.ts';

const pages = globSync(['*.md', 'deploy/*.md', 'docs/**/*.md'], { cwd: root });
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

const sources = globSync(['*.ts', 'docs/.vitepress/*.ts', '{src,e2e,bench,scripts}/**/*.{ts,tsx}'], { cwd: root }).map(
  (path) => `/${path}`,
);

/** Paths of this repository that a page names: the targets of its links, and paths written as code. */
function namedPaths(page: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target as string);
  const inside = links.filter((target) => !/^[a-z]+:/.test(target)).map((target) => join(dirname(page), target));
  const paths = [...text.matchAll(/`((?:src|docs|e2e|bench|scripts|resources)\/[\w./-]*)`/g)];
  return [...inside, ...paths.map(([, path]) => path as string)];
}

/** Every text of the window as a pattern: a placeholder matches any value. */
const windowTexts = globSync(['src/renderer/**/en.json', 'src/renderer/i18n/en/*.json'], { cwd: root }).flatMap(
  (path) => textsOf(JSON.parse(readFileSync(join(root, path), 'utf8'))),
);

function textsOf(node: unknown): RegExp[] {
  if (typeof node !== 'string') return Object.values(node as object).flatMap(textsOf);
  const parts = node.split(/\{\{[^}]*\}\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return parts.join('') === '' ? [] : [new RegExp(`^${parts.join('.+')}$`)];
}

/** Window elements that a page names: bold words, and their parts if they lead through several (`Help › Log`). Bold sentences are ignored. */
function windowWords(page: string, text: string): string[] {
  const isGuide = /^docs\/(?:guide|integrate|operate)\//.test(page.replaceAll('\\', '/'));
  const bold = [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, words]) => words as string);
  return bold
    .filter((words) => words.includes(' › ') || (isGuide && !/[.:]$/.test(words)))
    .flatMap((words) => words.split(' › '));
}

/** The tests that a page names by their titles: `file` > title; title. An ellipsis stands for a part that differs between tests. */
function namedTests(text: string): { file: string; title: string }[] {
  const named = text.matchAll(/`([\w./-]+\.(?:test|spec)\.tsx?)` > ((?:(?! \||`|\*\*).)+)/g);
  return [...named].flatMap(([, file = '', titles = '']) =>
    titles.split(/[;.] ?/).flatMap((title) => (title.trim() === '' ? [] : [{ file, title: title.trim() }])),
  );
}

function isTest({ file, title }: { file: string; title: string }): boolean {
  const texts = sources
    .filter((source) => source.endsWith(`/${file}`))
    .map((source) => readFileSync(join(root, source), 'utf8').replaceAll("\\'", "'"));
  const parts = title.split('…').map((part) => part.trim());
  return texts.some((source) => parts.every((part) => source.includes(part)));
}

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');

  it('names only existing files and folders', () => {
    expect(namedPaths(page, text).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names only existing sources and tests', () => {
    const named = [...text.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, path]) => path as string);
    expect(named.filter((path) => !sources.some((source) => source.endsWith(`/${path}`)))).toEqual([]);
  });

  it('names tests only by existing titles', () => {
    expect(namedTests(text).filter((named) => !isTest(named))).toEqual([]);
  });

  it('mentions only buttons and menus that the window has', () => {
    expect(windowWords(page, text).filter((words) => !windowTexts.some((pattern) => pattern.test(words)))).toEqual([]);
  });

  it('names only scripts of package.json', () => {
    const named = [...text.matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name as string);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('the table of changes in ARCHITECTURE.md', () => {
  const [, table = ''] = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('## Where do I change …');
  const rows = (table.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));

  it('has a row for each frequent kind of change', () => {
    const changes = [
      ...[
        /command of the gateway/,
        /a setting/,
        /step of a mint/,
        /fault/,
        /format of collections/,
        /field of collection/,
      ],
      ...[/protocol of miners/, /caps of fees/, /a language/, /source of chain data/],
    ];
    expect(changes.filter((change) => !rows.some((row) => change.test(row.split('|')[1] ?? '')))).toEqual([]);
  });

  it('names only functions and types that exist in the named files', () => {
    const named = rows.flatMap((row) => [...row.matchAll(/`([\w.]+)(?:\(\))?` of `(src\/[\w./-]+\.tsx?)`/g)]);
    const untrue = named.filter(([, name = '', file = '']) => !readFileSync(join(root, file), 'utf8').includes(name));
    expect(named.length).toBeGreaterThan(5);
    expect(untrue.map(([all]) => all)).toEqual([]);
  });
});

describe('desktop-security.md', () => {
  const rows = readFileSync(join(root, 'docs/desktop-security.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:#|point) \|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  it('answers each of the twenty points of Electron’s checklist', () => {
    const numbers = rows.flatMap(([, first = '']) => (/^\d+$/.test(first) ? [Number(first)] : []));
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('names for each point the code that enforces it, and a test or what is missing', () => {
    const bare = rows.filter(
      (cells) => cells.at(-3) === '' || !/`[^`]+\.(?:test|spec)\.ts`|\*\*|–/.test(cells.at(-2) ?? ''),
    );
    expect(rows.length).toBeGreaterThan(40);
    expect(bare.map(([, first, second]) => [first, second])).toEqual([]);
  });
});

it('the changelog contains each heading and each line once', () => {
  const lines = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split('\n');
  const told = lines.filter((line) => /^(?:- |\*\*)/.test(line));
  expect(told.filter((line, index) => told.indexOf(line) !== index)).toEqual([]);
});

it('the check of the documents covers every page', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md', join('docs', 'gateway.md')]));
});
