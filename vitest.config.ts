// what a test starts is compiled once for all of them, as in the application
import './scripts/compile-cache.js';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/longest-first.ts';

const writer = 'src/main/writer';

/** Files that look at their own process: what it holds in memory, or what another package is in it. */
const ofTheirProcess = [
  'src/chain/transaction.test.ts',
  'src/main/clock.test.ts',
  'src/main/console/debug/debug-pages.test.ts',
  'src/main/gateway/chain/large-block.test.ts',
  'src/main/gateway/metrics/soak.test.ts',
  'src/main/sandbox/node/rpc/long-values.test.ts',
  'src/main/sandbox/node/rpc/streaming.test.ts',
  'src/preload/preload.test.ts',
  `${writer}/api/batch.test.ts`,
];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes within milliseconds, and on a machine with other work within seconds. The default is one.
    expect: { poll: { timeout: 15_000 } },
    // one more than there are processors on a small machine, since much of the time is waiting for other processes
    maxWorkers: 3,
    // Files share a worker and what it has loaded: to load it for each file anew was a quarter of the whole run's work. So a test closes
    // what it opens, and leaves nothing in a module that the next could meet.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [`${writer}/postgres/**`, ...ofTheirProcess],
        },
      },
      {
        // Parts of the page, drawn into a document without a browser.
        extends: true,
        test: {
          name: 'page',
          environment: 'happy-dom',
          include: ['src/renderer/**/*.test.tsx'],
          setupFiles: 'src/renderer/test-support/setup.ts',
        },
      },
      { extends: true, test: { name: 'unit-own-process', isolate: true, include: ofTheirProcess } },
      {
        // The data writer's whole suite once more, on a real PostgreSQL server, and what only several processes can show.
        extends: true,
        test: {
          name: 'postgres',
          isolate: true,
          include: [`${writer}/**/*.test.ts`],
          globalSetup: `${writer}/test-support/postgres-setup.ts`,
          setupFiles: `${writer}/test-support/needs-postgres.ts`,
        },
      },
    ],
  },
});
