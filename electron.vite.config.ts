import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { Plugin } from 'vite';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The sheet stands behind the frame of the window, which is painted without it; scripts wait for it all the same. */
const stylesAfterTheFrame: Plugin = {
  name: 'styles-after-the-frame',
  enforce: 'post',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => {
      const sheet = /<link rel="stylesheet"[^>]*>/.exec(html)?.[0];
      return sheet === undefined ? html : html.replace(sheet, '').replace('<noscript>', `${sheet}\n    <noscript>`);
    },
  },
};

/** Takes each icon from its own file: the package's list of them all leads to 6,000 files, which would be read for 200 of them. */
const iconsAlone: Plugin = {
  name: 'icons-alone',
  enforce: 'pre',
  transform: {
    filter: { code: "'@tabler/icons-react'" },
    handler: (code) =>
      code.replace(/import \{([^}]+)\} from '@tabler\/icons-react';/g, (_, names: string) =>
        names
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name.startsWith('Icon'))
          .map((name) => `import ${name} from '@tabler/icons-react/dist/esm/icons/${name}.mjs';`)
          .join(' '),
      ),
  },
};

/**
 * Packages of many small modules that the host needs at its start, 800 with what they need in turn. Finding and reading each of those files
 * takes a fifth of the processor time until it listens; in the chunks of the program they are read at once.
 */
const bundled = ['kysely', 'zod', 'fastify', 'undici', 'conf'];

/**
 * Keeps the build from looking for the place of CommonJS names in the program: it makes a tree of all of it in JavaScript for that, which takes
 * longer than to bundle it, and nothing in the program asks for them.
 */
const noCommonJsNames: Plugin = {
  name: 'no-commonjs-names',
  configResolved: ({ plugins }) => {
    for (const plugin of plugins) if (plugin.name === 'vite:esm-shim') delete plugin.renderChunk;
  },
};

/**
 * What the page starts with, in one file: in 37 of them a first visit waits a fifth longer for the dashboard. The contract's index leads to texts
 * that only the host and some views need, so their folders stay out, and out of the files that follow from it. What those texts read as they are
 * made stays out with them: taken from the start, which waits for them, it would still be undefined.
 */
const start = {
  name: 'start',
  tags: ['$initial' as const],
  test: /^(?!.*[\\/]contract[\\/](?:errors[\\/](?:en[\\/]|catalogue|entry)|phrases[\\/]|studio[\\/]import-problems|miners[\\/]default-miner))/,
};

export default defineConfig({
  main: {
    plugins: [noCommonJsNames],
    build: {
      externalizeDeps: { exclude: bundled },
      outDir: 'out/main',
      rollupOptions: {
        input: {
          index: path('src/main/index.ts'),
          cli: path('src/main/cli.ts'),
          'host-process': path('src/main/host-process.ts'),
          'picture-process': path('src/main/picture-process.ts'),
          'metadata-worker': path('src/main/studio/import/readers/metadata-worker.ts'),
          'session-worker': path('src/main/studio/import/session/session-worker.ts'),
          'script-worker': path('src/main/workers/script-worker.ts'),
          'sandbox-worker': path('src/main/host/sandbox-thread/sandbox-worker.ts'),
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      rollupOptions: {
        input: { index: path('src/preload/index.ts') },
        // A preload script of a sandboxed window can only be CommonJS, in one file.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: path('src/renderer'),
    plugins: [iconsAlone, react(), stylesAfterTheFrame],
    build: {
      outDir: path('out/renderer'),
      rollupOptions: {
        input: path('src/renderer/index.html'),
        output: { codeSplitting: { groups: [start], includeDependenciesRecursively: false } },
      },
      minify: true,
      // Tells which files a view needs; scripts/page-size.test.ts weighs the first ones by it.
      manifest: true,
      // Every browser this page meets has module preload; the stand-in would only be one more script.
      modulePreload: { polyfill: false },
      // Inlined files would need `data:` in the page's policy.
      assetsInlineLimit: 0,
      // One sheet for all views: rules of the same weight keep one order, whichever view is opened first.
      cssCodeSplit: false,
    },
  },
});
