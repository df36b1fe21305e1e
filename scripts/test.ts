/**
 * `npm test`: types, lint, dead code and layer rules, then every unit, integration and browser test. The last line counts the whole run.
 * `npm run check` is the same without the tests (`--checks`); `npm run test:long` adds the long proofs (`--long`).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from './build.ts';
import { root, tools } from './paths.ts';

/** The source has more modules than this; fewer were not all read. */
const MIN_MODULES = 200;

interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

const checksOnly = process.argv.includes('--checks');
const long = process.argv.includes('--long');
const reports = mkdtempSync(join(tmpdir(), 'planchet-test-'));
const total: Outcome = { passed: 0, failed: 0, skipped: 0 };

function run(title: string, script: string, args: string[], env: NodeJS.ProcessEnv = {}): boolean {
  console.log(`\n── ${title}`);
  const started = performance.now();
  const { status } = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  console.log(
    `── ${title}: ${status === 0 ? 'passed' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
  return status === 0;
}

function check(title: string, script: string, args: string[]): void {
  count(run(title, script, args) ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 });
}

/** A tool that finds no files to look at finds no fault either, so what it says it has read is held against what must be there. */
function checkLayers(): void {
  console.log('\n── layers');
  const args = [tools.depcruise, '--config', '.dependency-cruiser.cjs', 'src'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  const read = Number(/(\d+) modules/.exec(stdout + stderr)?.[1] ?? 0);
  const passed = status === 0 && read >= MIN_MODULES;
  console.log(passed ? `── layers: passed, ${read} modules` : `${stdout}${stderr}── layers: FAILED, ${read} modules`);
  count(passed ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 });
}

function count(outcome: Outcome): void {
  total.passed += outcome.passed;
  total.failed += outcome.failed;
  total.skipped += outcome.skipped;
}

/** Reads a runner's JSON report; a runner that died before it wrote one counts as one failure. */
function counted(passed: boolean, report: string, read: (json: never) => Outcome): void {
  let outcome: Outcome;
  try {
    outcome = read(JSON.parse(readFileSync(report, 'utf8')) as never);
  } catch {
    outcome = { passed: 0, failed: 1, skipped: 0 };
  }
  count(passed || outcome.failed > 0 ? outcome : { ...outcome, failed: 1 });
}

interface Suite {
  suites?: Suite[];
  specs?: {
    title: string;
    file: string;
    tests: { status: string; annotations: { type: string; description?: string }[] }[];
  }[];
}

/** Names each skipped browser test with its reason: a test nobody ran must not look like one that passed. */
function skippedTests(report: string): string[] {
  const lines: string[] = [];
  const visit = (suite: Suite): void => {
    for (const { title, file, tests } of suite.specs ?? []) {
      for (const { status, annotations } of tests) {
        if (status !== 'skipped') continue;
        const reason = annotations.find(({ type }) => type === 'skip')?.description ?? 'no reason given';
        lines.push(`Skipped: ${file} › ${title}: ${reason}`);
      }
    }
    for (const inner of suite.suites ?? []) visit(inner);
  };
  try {
    for (const suite of (JSON.parse(readFileSync(report, 'utf8')) as Suite).suites ?? []) visit(suite);
  } catch {
    // A runner that wrote no report has been counted as a failure already.
  }
  return lines;
}

check('types', tools.tsc, ['-p', '.']);
check('lint and format', tools.biome, ['check', '--error-on-warnings', '.']);
check('dead code', tools.knip, []);
checkLayers();

if (!checksOnly) {
  buildIfStale();

  const unitReport = join(reports, 'unit.json');
  const unitPassed = run(
    'unit and integration tests',
    tools.vitest,
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${unitReport}`],
    long ? { PLANCHET_LONG: '1' } : {},
  );
  counted(
    unitPassed,
    unitReport,
    (json: { numPassedTests: number; numFailedTests: number; numPendingTests: number }) => ({
      passed: json.numPassedTests,
      failed: json.numFailedTests,
      skipped: json.numPendingTests,
    }),
  );

  const browserReport = join(reports, 'browser.json');
  const browserPassed = run('browser tests', tools.playwright, ['test', '--reporter=list,json'], {
    PLAYWRIGHT_JSON_OUTPUT_FILE: browserReport,
  });
  counted(
    browserPassed,
    browserReport,
    (json: { stats: { expected: number; unexpected: number; flaky: number; skipped: number } }) => ({
      passed: json.stats.expected,
      // A test that passes only at the second try has not passed.
      failed: json.stats.unexpected + json.stats.flaky,
      skipped: json.stats.skipped,
    }),
  );
  for (const line of skippedTests(browserReport)) console.log(line);
}

rmSync(reports, { recursive: true, force: true });
console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
process.exitCode = total.failed === 0 ? 0 : 1;
