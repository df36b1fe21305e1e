import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { accessibleTheme } from './accessible.ts';
import { listOfPages } from './pages.ts';

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** In the page itself, as browsers else ask the console for a picture that it does not have. */
const mark = `data:image/svg+xml;base64,${readFileSync(path('resources/icon.svg'), 'base64')}`;

/** The documents as a site. `npm run docs` prepares its pages (scripts/docs/docs-source.ts) and builds it; the console serves it at /docs/. */
export default defineConfig({
  title: 'Planchet',
  description: 'Bitcoin SV node gateway and minting studio for one-satoshi ordinal tokens',
  base: '/docs/',
  head: [['link', { rel: 'icon', href: mark }]],
  srcDir: path('out/docs-source'),
  outDir: path('out/docs'),
  cacheDir: path('out/docs-cache'),
  // The policy of the site allows no script inside a page; scripts/docs/build-docs.ts takes out those that are left.
  metaChunk: true,
  // What looks like an element, as <TXID>, or an attribute, as {file}, is text.
  markdown: {
    html: false,
    linkify: false,
    attrs: { disable: true },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
  },
  ignoreDeadLinks: 'localhostLinks',
  themeConfig: {
    logo: mark,
    search: {
      provider: 'local',
      // The types of an interface have the words of its calls: a search would show them first.
      options: {
        _render: (text, env, markdown) => markdown.render(text, env).split('<h2 id="types"')[0] ?? '',
      },
    },
    outline: [2, 3],
    nav: [
      { text: 'Guide', link: '/guide/start' },
      { text: 'Integrate', link: '/integrate/' },
      { text: 'Operate', link: '/operate/fleet' },
      { text: 'Errors', link: '/errors' },
    ],
    sidebar: listOfPages(path('out/docs-source')),
    docFooter: { prev: 'Previous', next: 'Next' },
  },
  vite: {
    plugins: [accessibleTheme()],
    // The console serves no file whose name begins with "@", as the search index would.
    // Nor may a font stand in a style sheet: the policy of the site takes fonts from files alone.
    build: {
      assetsInlineLimit: 0,
      rollupOptions: { output: { sanitizeFileName: (name) => name.replaceAll(/[^\w.-]/g, '') || 'file' } },
    },
    // Pages are large, and the search index holds all of them.
    logLevel: 'warn',
  },
});
