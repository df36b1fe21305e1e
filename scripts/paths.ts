import { fileURLToPath } from 'node:url';

/** Root of the repository, with a closing slash. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** A program of an installed package, by its path in node_modules, which works under every shell. */
const tool = (path: string): string => `${root}node_modules/${path}`;

export const tools = {
  tsc: tool('typescript/bin/tsc'),
  biome: tool('@biomejs/biome/bin/biome'),
  knip: tool('knip/bin/knip.js'),
  depcruise: tool('dependency-cruiser/bin/dependency-cruiser.mjs'),
  vitest: tool('vitest/vitest.mjs'),
  playwright: tool('@playwright/test/cli.js'),
  vitepress: tool('vitepress/bin/vitepress.js'),
  electronVite: tool('electron-vite/bin/electron-vite.js'),
} as const;
