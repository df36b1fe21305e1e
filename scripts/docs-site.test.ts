import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listOfPages } from '../docs/.vitepress/pages.ts';
import { buildDocsIfStale, docsOutput } from './docs/build-docs.ts';
import { docsSource, documents, sizeOf } from './docs/docs-source.ts';

/** Limit for the size of the site in the application. */
const MAX_BYTES = 12_000_000;

interface Entry {
  link?: string;
  items?: Entry[];
}

const linksOf = ({ link, items = [] }: Entry): string[] => [...(link ? [link] : []), ...items.flatMap(linksOf)];
let listed: string[] = [];
/** The file that a link of the site leads to. */
const fileOf = (link: string): string => (link.endsWith('/') ? `${link}index.html` : `${link}.html`).slice(1);

let pages: string[] = [];
beforeAll(() => {
  buildDocsIfStale();
  listed = listOfPages(docsSource).flatMap(linksOf);
  pages = globSync('**/*.html', { cwd: docsOutput }).map((name) => name.replaceAll('\\', '/'));
});

describe('the site of the documents', () => {
  it('has a page for every document, and each is linked from the list of pages or from one of them', () => {
    const built = [...documents().values()].map((page) => page.replace(/\.md$/, '.html'));
    expect(built.filter((page) => !pages.includes(page))).toEqual([]);
    const reached = new Set(['index.html', ...listed.map(fileOf)]);
    for (const page of reached) {
      if (!pages.includes(page)) continue;
      for (const { path } of linksIn(page)) if (path.endsWith('.html')) reached.add(path);
    }
    expect(built.filter((page) => !reached.has(page))).toEqual([]);
  });

  it('lists only existing pages', () => {
    expect(listed.filter((link) => !existsSync(join(docsOutput, fileOf(link))))).toEqual([]);
  });

  it('links only to existing files and anchors', () => {
    const anchors = new Map(pages.map((page) => [page, anchorsOf(page)]));
    const broken = pages.flatMap((page) =>
      linksIn(page)
        .filter(({ path, anchor }) => {
          if (!existsSync(join(docsOutput, path))) return true;
          return anchor !== '' && anchors.get(path)?.has(anchor) === false;
        })
        .map(({ href }) => `${page}: ${href}`),
    );
    expect(broken).toEqual([]);
    expect(pages.length).toBeGreaterThan(30);
  });

  it('has no inline script, and loads nothing from another host', () => {
    for (const page of pages) {
      const html = read(page);
      expect(html.match(/<script(?![^>]*\bsrc=)[^>]*>/g), page).toBeNull();
      expect(html.match(/<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?\/\/[^"]*"/g), page).toBeNull();
    }
  });

  it('can be searched without a network', () => {
    const index = globSync('assets/chunks/localSearchIndexroot.*.js', { cwd: docsOutput });
    expect(index).toHaveLength(1);
    expect(read(index[0] as string)).toContain('sendrawtransaction');
  });

  it('lists its headings with their addresses for the search of the application', () => {
    const headings = JSON.parse(read('headings.json')) as { at: string; text: string; page: string; section: string }[];
    expect(headings.length).toBeGreaterThan(200);
    const lost = headings.filter(({ at, text, page }) => {
      const [path = '', anchor = ''] = at.split('#', 2);
      return text === '' || page === '' || !pages.includes(path) || (anchor !== '' && !anchorsOf(path).has(anchor));
    });
    expect(lost).toEqual([]);
    const section = 'Minting in detail';
    expect(headings).toContainEqual({ at: 'wallet.html#accounts', text: 'Accounts', page: 'The wallet', section });
    expect(headings.filter((one) => one.section === '' && one.at !== 'index.html')).toEqual([]);
  });

  it(`has at most ${MAX_BYTES / 1_000_000} MB`, () => {
    expect(sizeOf(docsOutput).bytes).toBeLessThanOrEqual(MAX_BYTES);
  });
});

function read(page: string): string {
  return readFileSync(join(docsOutput, page), 'utf8');
}

function anchorsOf(page: string): Set<string> {
  return new Set([...read(page).matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id as string));
}

/** Links of a page to the site itself. */
function linksIn(page: string): { href: string; path: string; anchor: string }[] {
  const found = [...read(page).matchAll(/<(?:a|img|link|script)\b[^>]*\b(?:href|src)="([^"]+)"/g)].map(
    ([, href]) => href as string,
  );
  return found.flatMap((href) => {
    if (/^[a-z]+:/i.test(href) || href === '/') return [];
    const [target = '', anchor = ''] = href.split('#', 2);
    const absolute = target.startsWith('/') ? target : posix.join('/docs', dirname(page), target);
    const path = target === '' ? page : absolute.replace(/^\/docs\//, '').replace(/(^|\/)$/, '$1index.html');
    return [{ href, path, anchor: decodeURIComponent(anchor) }];
  });
}
