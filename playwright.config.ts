// the hosts are compiled once for all of them, as in the application
import './scripts/compile-cache.js';
import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { launchOptions } from './e2e/support/browser.ts';

// no test asks services outside of this machine
process.env.PLANCHET_CHAIN_DATA ??= 'node';

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/support/template.ts',
  timeout: 120_000,
  expect: { timeout: 20_000 },
  // One more than the processors of a small machine: each drives a browser and a host, and waits for one of them a quarter of its time.
  workers: Math.min(availableParallelism() + 1, 3),
  retries: 0,
  forbidOnly: true,
  ...(process.env.PLANCHET_LONG ? {} : { grepInvert: /@long/ }),
  // what moves is drawn in software here, and a test would wait for its end
  use: {
    trace: 'on-first-retry',
    viewport: { width: 1280, height: 800 },
    contextOptions: { reducedMotion: 'reduce' },
  },
  projects: [
    { name: 'console', testDir: 'e2e/console', use: { launchOptions: launchOptions() } },
    { name: 'desktop', testDir: 'e2e/desktop' },
  ],
});
