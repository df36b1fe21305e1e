// what a test starts is compiled once for all of them, as in the application
import './scripts/compile-cache.js';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/longest-first.ts';

const writer = 'src/main/writer';
const gateway = 'src/main/gateway';

/** Set by `npm test -- --shuffle` and `npm run test:long`: files run in a random order, to show that none depends on another. */
const shuffleSeed = process.env.PLANCHET_SHUFFLE;

/** Files that measure their own process or replace a package in it; each gets a process of its own. */
const ofTheirProcess = [
  'src/chain/transaction/transaction.test.ts',
  'src/main/clock.test.ts',
  'src/main/console/debug/debug-pages.test.ts',
  'src/main/gateway/rpc/large-block.test.ts',
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
    // A worker that ends beside others on a loaded machine needs longer than the default of ten seconds.
    teardownTimeout: 60_000,
    // What a test polls for comes within milliseconds, on a loaded machine within seconds. The default limit is one second.
    expect: { poll: { timeout: 15_000 } },
    // One more than the processors of a small machine: tests spend much of their time waiting for other processes.
    maxWorkers: 3,
    // Files share a worker and the modules it has loaded: loading them for each file was a quarter of the whole run's work. So a test closes
    // what it opens and leaves no state in a module.
    isolate: false,
    sequence:
      shuffleSeed === undefined
        ? { sequencer: LongestFirst }
        : { shuffle: { files: true, tests: process.env.PLANCHET_SHUFFLE_TESTS === '1' }, seed: Number(shuffleSeed) },
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
        // Components, rendered without a browser.
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
        // The gateway's suite once more without its speed-ups: everything works without the fast path and without batches.
        extends: true,
        test: {
          name: 'gateway-plain',
          include: [`${gateway}/gateway*.test.ts`, `${gateway}/{fast-path,rest,rpc,server,upstream}/**/*.test.ts`],
          exclude: [`${gateway}/rpc/request-batcher.test.ts`],
          env: { PLANCHET_GATEWAY_FAST_PATH: 'off', PLANCHET_GATEWAY_BATCHING: 'off' },
        },
      },
      {
        // The data writer's suite again, on a real PostgreSQL server, and the tests that need several processes.
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
