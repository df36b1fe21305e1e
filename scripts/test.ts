/**
 * `npm test`: types, lint, dead code and layer rules, then every unit, integration and browser test. The last line counts the whole run.
 * `npm run check` runs the checks only (`--checks`); `npm run test:long` adds the long proofs (`--long`) and shuffles. `npm test -- --shuffle` runs the
 * unit and integration test files in a random order and prints its seed; `--shuffle=<seed>` repeats that order. `--shuffle-tests` does the same with the
 * tests in each file; some suites have tests that depend on their order.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildIfStale } from './build.ts';
import { buildDocsIfStale } from './docs/build-docs.ts';
import { root, tools } from './paths.ts';
import { makeTestFolder } from './test-folder.ts';

/** The source has more modules than this. If fewer were read, some were missed. */
const MIN_MODULES = 2_000;
/** If more files than this fail, none is retried: the fault is real. */
const RETRIED_FILES = 3;

interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

const checksOnly = process.argv.includes('--checks');
const long = process.argv.includes('--long');
const shuffle = process.argv.find((arg) => /^--shuffle(=\d+)?$/.test(arg));
const shuffleSeed = shuffle || long ? (shuffle?.split('=')[1] ?? String(Date.now())) : undefined;
const shuffleTests = process.argv.includes('--shuffle-tests');
/** Folder for the reports of the runners and all temporary files of the tests. */
const folder = makeTestFolder();
/** Lines printed before the counts. */
const closing: string[] = [];
const total: Outcome = { passed: 0, failed: 0, skipped: 0 };

function run(title: string, script: string, args: string[], env: NodeJS.ProcessEnv = {}): boolean {
  console.log(`\n── ${title}`);
  const started = performance.now();
  const { status } = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TMPDIR: folder, ...env },
  });
  console.log(
    `── ${title}: ${status === 0 ? 'passed' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
  return status === 0;
}

function check(title: string, script: string, args: string[]): void {
  count(run(title, script, args) ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 });
}

/** Checks the layers in parallel with the other checks, since it takes one processor for as long as all of them. Also checks the number of modules read: a tool that reads no files finds no fault. */
function readLayers(): () => Promise<void> {
  const args = [tools.depcruise, '--config', '.dependency-cruiser.cjs', 'src'];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let told = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      told += piece.toString();
    });
  const ended = once(child, 'close');
  return async () => {
    console.log('\n── layers');
    const [status] = await ended;
    const read = Number(/(\d+) modules/.exec(told)?.[1] ?? 0);
    const passed = status === 0 && read >= MIN_MODULES;
    console.log(passed ? `── layers: passed, ${read} modules` : `${told}── layers: FAILED, ${read} modules`);
    count(passed ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 });
  };
}

function count(outcome: Outcome): void {
  total.passed += outcome.passed;
  total.failed += outcome.failed;
  total.skipped += outcome.skipped;
}

/** Reads a runner's JSON report. A runner that crashed before it wrote one counts as one failure. */
function counted(passed: boolean, report: string, read: (json: never) => Outcome): void {
  let outcome: Outcome;
  try {
    outcome = read(JSON.parse(readFileSync(report, 'utf8')) as never);
  } catch {
    outcome = { passed: 0, failed: 1, skipped: 0 };
  }
  count(passed || outcome.failed > 0 ? outcome : { ...outcome, failed: 1 });
}

function vitest(report: string, files: string[]): boolean {
  return run(
    files.length === 0 ? 'unit and integration tests' : 'files that failed, once more and alone',
    tools.vitest,
    [
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(files.length === 0 ? [] : ['--no-file-parallelism']),
      ...files,
    ],
    {
      // Except in the long run, tests start the built program, which takes half the time of its sources.
      ...(long ? { PLANCHET_LONG: '1' } : { PLANCHET_E2E_PROGRAM: join(root, 'out', 'main', 'cli.js') }),
      ...(shuffleSeed ? { PLANCHET_SHUFFLE: shuffleSeed } : {}),
      ...(shuffleTests ? { PLANCHET_SHUFFLE_TESTS: '1' } : {}),
    },
  );
}

/**
 * A few tests depend on the timing of real processes and sockets, and fail on a machine that stalls for seconds. Failed files run a second time,
 * one by one. A test that passes then counts as passed, and is listed as unstable at the end, so that it gets fixed.
 */
function unitTests(): void {
  const report = join(folder, 'unit.json');
  if (shuffleSeed !== undefined)
    closing.push(`Shuffled: repeat this order with npm ${long ? 'run test:long' : 'test'} -- --shuffle=${shuffleSeed}`);
  const passed = vitest(report, []);
  const first = readUnitReport(report);
  const skips = (first?.testResults ?? []).map(({ name, assertionResults }) => {
    const skipped = assertionResults.filter(({ status }) => ['pending', 'skipped'].includes(status));
    return { name, left: skipped.filter(isLong).length, others: skipped.filter((test) => !isLong(test)).length };
  });
  for (const { name, others } of skips)
    if (others > 0) closing.push(`Skipped: ${relative(root, name)}: ${others} tests`);
  const left = skips.reduce((sum, skip) => sum + skip.left, 0);
  if (left > 0) closing.push(`Left to npm run test:long: ${left} unit and integration tests`);
  const failedFiles = (first?.testResults ?? []).filter(({ status }) => status === 'failed').map(({ name }) => name);
  if (passed || first == null || failedFiles.length === 0 || failedFiles.length > RETRIED_FILES) {
    counted(passed, report, unitOutcome);
    return;
  }
  const again = join(folder, 'unit-again.json');
  const cured = vitest(again, failedFiles);
  const second = readUnitReport(again);
  if (!cured || second == null || second.numFailedTests > 0) {
    counted(false, report, unitOutcome);
    return;
  }
  count({ ...unitOutcome(first), passed: first.numPassedTests + first.numFailedTests, failed: 0 });
  for (const { name, assertionResults } of first.testResults) {
    for (const { status, fullName } of assertionResults) {
      if (status === 'failed')
        closing.push(`Unstable: ${relative(root, name)} › ${fullName}: passed at the second try`);
    }
  }
}

interface UnitReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: { name: string; status: string; assertionResults: UnitTest[] }[];
}

interface UnitTest {
  status: string;
  fullName: string;
  tags: string[];
}

/** Whether only the long run includes it. */
function isLong({ tags }: UnitTest): boolean {
  return tags.includes('long');
}

/** Tests of the long run are not counted otherwise. */
function unitOutcome({ numPassedTests, numFailedTests, numPendingTests, testResults }: UnitReport): Outcome {
  const left = testResults.flatMap(({ assertionResults }) => assertionResults).filter(isLong).length;
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests - (long ? 0 : left) };
}

function readUnitReport(report: string): UnitReport | null {
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as UnitReport;
  } catch {
    return null;
  }
}

interface Suite {
  suites?: Suite[];
  specs?: {
    title: string;
    file: string;
    tests: { status: string; annotations: { type: string; description?: string }[] }[];
  }[];
}

/** Lists each skipped browser test with its reason, and each that passed only on the second try. */
function remarkableTests(report: string): string[] {
  const lines: string[] = [];
  const visit = (suite: Suite): void => {
    for (const { title, file, tests } of suite.specs ?? []) {
      for (const { status, annotations } of tests) {
        const reason = annotations.find(({ type }) => type === 'skip')?.description ?? 'no reason given';
        if (status === 'skipped') lines.push(`Skipped: ${file} › ${title}: ${reason}`);
        if (status === 'flaky') lines.push(`Unstable: ${file} › ${title}: passed at the second try`);
      }
    }
    for (const inner of suite.suites ?? []) visit(inner);
  };
  try {
    for (const suite of (JSON.parse(readFileSync(report, 'utf8')) as Suite).suites ?? []) visit(suite);
  } catch {
    // A runner without a report was counted as a failure already.
  }
  return lines;
}

function browserTests(): void {
  const report = join(folder, 'browser.json');
  // The long run measures input delays, without other load.
  const alone = long ? ['--workers=1'] : [];
  const passed = run('browser tests', tools.playwright, ['test', '--retries=1', '--reporter=list,json', ...alone], {
    ...(long ? { PLANCHET_LONG: '1' } : {}),
    PLAYWRIGHT_JSON_OUTPUT_FILE: report,
    // The compile cache of the tests is kept. Its default location is the temporary folder, which is removed with each run.
    PWTEST_CACHE_DIR: join(root, 'node_modules', '.cache', 'planchet', 'browser-tests'),
  });
  counted(
    passed,
    report,
    (json: { stats: { expected: number; unexpected: number; flaky: number; skipped: number } }) => ({
      passed: json.stats.expected + json.stats.flaky,
      failed: json.stats.unexpected,
      skipped: json.stats.skipped,
    }),
  );
  closing.push(...remarkableTests(report));
}

const layers = readLayers();
// The page and the rest are checked in sequence, since both need 1.7 GB together. Results for unchanged files are cached.
for (const part of ['page', 'host']) {
  const known = join(root, 'node_modules', '.cache', 'planchet', `types-${part}.tsbuildinfo`);
  check(`types of the ${part}`, tools.tsc, [
    '-p',
    `tsconfig.${part}.json`,
    '--incremental',
    '--tsBuildInfoFile',
    known,
  ]);
}
check('lint and format', tools.biome, ['check', '--error-on-warnings', '.']);
check('dead code', tools.knip, []);
check('error page', join(root, 'scripts', 'docs', 'errors-page.ts'), ['--check']);
check('API pages', join(root, 'scripts', 'docs', 'api-pages.ts'), ['--check']);
await layers();

if (!checksOnly) {
  buildIfStale();
  buildDocsIfStale();
  unitTests();
  browserTests();
}

for (const line of closing) console.log(line);
console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
process.exitCode = total.failed === 0 ? 0 : 1;
