// what a test starts is compiled once for all of them, as in the application
import './scripts/compile-cache.js';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/longest-first.ts';

const writer = 'src/main/writer';
const gateway = 'src/main/gateway';

/** In `npm run test:long`. */
const long = process.env.PLANCHET_LONG !== undefined;

/** Set by `npm test -- --shuffle` and `npm run test:long`: files run in a random order, to show that none depends on another. */
const shuffleSeed = process.env.PLANCHET_SHUFFLE;

/** In place of what a passphrase costs, which is a third of a second of a processor each time; not in the long run. */
const cheapPassphrases = long
  ? []
  : [
      {
        find: /^.*\/scrypt-cost\.ts$/,
        replacement: fileURLToPath(new URL('src/main/test-support/scrypt-cost.ts', import.meta.url)),
      },
    ];

/** The gateway's files that meet neither its fast path nor its batches; outside the long run also those that say least of either. */
const withoutSpeedUps = [
  `${gateway}/rpc/{in-flight-map,in-flight-request,large-block,node-forms,public-replies,request-batcher}.test.ts`,
  `${gateway}/server/{body-limits,pairing}.test.ts`,
  `${gateway}/upstream/{batch,client,hex-answer,http-request,outage,rate-limit,read-block,request-queue,stalled}.test.ts`,
  `${gateway}/upstream/{connection,health}/**`,
  ...(long
    ? []
    : [
        `${gateway}/gateway-view.test.ts`,
        `${gateway}/rest/rest.test.ts`,
        `${gateway}/rpc/settings-at-once.test.ts`,
        `${gateway}/server/{api-keys,attacks}.test.ts`,
        `${gateway}/upstream/{faults,resilience}.test.ts`,
      ]),
];

/** The data writer's files that meet no database, or only one of their own; outside the long run also those that ask it for nothing of their own. */
const withoutDatabase = [
  `${writer}/write-errors.test.ts`,
  `${writer}/api/openapi.test.ts`,
  `${writer}/{acceptance,keys,sending}/**`,
  `${writer}/queue/scheduler.test.ts`,
  `${writer}/storage/ingest-buffer.test.ts`,
  ...(long
    ? []
    : [
        `${writer}/api/{batch,fast-accept,modes,reading}.test.ts`,
        `${writer}/{dead-letters,funding,pipeline,proofs}/**`,
      ]),
];

/** Files that measure their own process, replace a package in it or need the real cost of a passphrase; each gets a process of its own. */
const ofTheirProcess = [
  'src/main/host/hostile-inputs/hostile-inputs.test.ts',
  'src/chain/transaction/transaction.test.ts',
  'src/main/clock.test.ts',
  'src/main/foreign-json.test.ts',
  'src/main/commands/studio/published-folder.test.ts',
  'src/main/console/debug/debug-pages.test.ts',
  'src/main/gateway/rpc/large-block.test.ts',
  'src/main/gateway/metrics/soak.test.ts',
  'src/main/sandbox/node/rpc/long-values.test.ts',
  'src/main/studio/import/commit/commit-memory.test.ts',
  'src/main/sandbox/node/rpc/streaming.test.ts',
  'src/main/vault/vault.test.ts',
  'src/preload/preload.test.ts',
  `${writer}/api/batch.test.ts`,
];

export default defineConfig({
  test: {
    // Ends a test that hangs; on a loaded machine one that works may take minutes.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A worker that ends beside others on a loaded machine needs longer than the default of ten seconds.
    teardownTimeout: 60_000,
    // What a test polls for comes within milliseconds, on a loaded machine within seconds. The default limit is one second.
    expect: { poll: { timeout: 15_000 } },
    // Two more than the processors of a small machine: files that start hosts take them half of their time, and wait for the rest.
    maxWorkers: Math.min(availableParallelism() + 2, 5),
    // Files share a worker and the modules it has loaded: loading them for each file was a quarter of the whole run's work. So a test closes
    // what it opens and leaves no state in a module.
    isolate: false,
    tags: [{ name: 'long', description: 'Shown by `npm run test:long` alone.', skip: !long }],
    // No test asks the public services.
    env: { PLANCHET_CHAIN_DATA: 'node' },
    // Objects of a test live longer than the young generation of a program's usual size: a tenth of the work was to copy them.
    execArgv: ['--max-semi-space-size=64'],
    sequence:
      shuffleSeed === undefined
        ? { sequencer: LongestFirst }
        : { shuffle: { files: true, tests: process.env.PLANCHET_SHUFFLE_TESTS === '1' }, seed: Number(shuffleSeed) },
    projects: [
      {
        extends: true,
        resolve: { alias: cheapPassphrases },
        test: {
          name: 'unit',
          globalSetup: 'src/main/test-support/hosts/templates-setup.ts',
          setupFiles: long ? [] : 'src/main/test-support/fewer-cases.ts',
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
          // A click on a download would take the page, which all files share, to the address of the file.
          environmentOptions: {
            happyDOM: { settings: { navigation: { disableMainFrameNavigation: true, disableFallbackToSetURL: true } } },
          },
          include: ['src/renderer/**/*.test.tsx'],
          setupFiles: 'src/renderer/test-support/setup.ts',
        },
      },
      {
        extends: true,
        // They measure memory, so theirs has the usual form.
        test: {
          name: 'unit-own-process',
          isolate: true,
          execArgv: ['--max-semi-space-size=16'],
          include: ofTheirProcess,
        },
      },
      {
        // The gateway's suite once more without its speed-ups: everything works without the fast path and without batches.
        extends: true,
        test: {
          name: 'gateway-plain',
          include: [`${gateway}/gateway*.test.ts`, `${gateway}/{fast-path,rest,rpc,server,upstream}/**/*.test.ts`],
          exclude: withoutSpeedUps,
          env: { PLANCHET_GATEWAY_FAST_PATH: 'off', PLANCHET_GATEWAY_BATCHING: 'off' },
        },
      },
      {
        // The data writer's suite again, on a real PostgreSQL server, and the tests that need several processes.
        extends: true,
        test: {
          name: 'postgres',
          include: [`${writer}/**/*.test.ts`],
          exclude: withoutDatabase,
          globalSetup: `${writer}/test-support/postgres-setup.ts`,
          setupFiles: `${writer}/test-support/needs-postgres.ts`,
        },
      },
    ],
  },
});
