import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutant, mutantsOf, mutated } from './mutation/operators.ts';
import type { Asked } from './mutation/runner.ts';
import { targets } from './mutation/targets.ts';
import { root } from './paths.ts';

/*
 * npm run test:mutate [-- <file>…] [--slice 2/8]: changes one place of a file after the other and runs the related tests. A change that no test
 * notices is listed. Files are changed in a copy of the tree, so that an abort leaves the tree unchanged. The results are stored in
 * dist/mutation.jsonl: a second run continues after the first, as long as the file and its tests are the same.
 */

const copy = join(root, 'dist', 'mutation');
const log = join(root, 'dist', 'mutation.jsonl');
/** Time limit of a test run, in addition to a multiple of its time without a change. */
const LEAST_MS = 20_000;

type Outcome = 'noticed' | 'timeout' | 'survived';

interface Result extends Pick<Mutant, 'line' | 'before' | 'after'> {
  readonly file: string;
  /** Hash of the file, its tests and the place. */
  readonly key: string;
  readonly outcome: Outcome;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { slice: { type: 'string' } } });
const [slice = 1, slices = 1] = (values.slice ?? '1/1').split('/').map(Number);
const files = positionals.length > 0 ? positionals : Object.keys(targets);
for (const file of files)
  if (!Object.hasOwn(targets, file)) throw new Error(`${file} is not in scripts/mutation/targets.ts.`);

setPriority(15);
makeCopy();
const known = readLog();
let runner = await startRunner();
try {
  for (const file of files) await mutate(file);
} finally {
  end(runner);
  rmSync(copy, { recursive: true, force: true });
}

async function mutate(file: string): Promise<void> {
  const tests = targets[file] ?? [];
  const text = readFileSync(join(root, file), 'utf8');
  const path = join(copy, file);
  const hash = createHash('sha256').update(text);
  for (const test of testFiles(tests)) hash.update(readFileSync(join(root, test)));
  const version = hash.digest('hex').slice(0, 16);
  const all = mutantsOf(file, text).map((mutant) => ({ mutant, key: `${version}:${mutant.start}:${mutant.after}` }));
  const own = all.filter((_, index) => index % slices === slice - 1);
  const left = own.filter(({ key }) => !known.has(key));
  if (left.length > 0) {
    const began = performance.now();
    if ((await run({ changed: path, tests }, 10 * LEAST_MS)) !== 'survived')
      throw new Error(`The tests of ${file} fail without a change.`);
    const limit = LEAST_MS + 5 * (performance.now() - began);
    for (const { mutant, key } of left) {
      writeFileSync(path, mutated(text, mutant));
      const outcome = await run({ changed: path, tests }, limit);
      const { line, before, after } = mutant;
      const result: Result = { file, line, before, after, outcome, key };
      known.set(key, result);
      appendFileSync(log, `${JSON.stringify(result)}\n`);
    }
    writeFileSync(path, text);
  }
  const results = own.map(({ key }) => known.get(key) as Result);
  const survivors = results.filter(({ outcome }) => outcome === 'survived');
  console.log(`${file}: ${results.length} changes, ${survivors.length} that no test noticed`);
  for (const { line, before, after } of survivors) console.log(`  ${line}: ${oneLine(before)} → ${oneLine(after)}`);
}

/** A folder stands for all tests in it. */
function testFiles(tests: readonly string[]): string[] {
  return tests.flatMap((test) =>
    test.endsWith('.ts') ? [test] : globSync(`${test}/**/*.test.ts`, { cwd: root }).sort(),
  );
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 80);
}

function makeCopy(): void {
  rmSync(copy, { recursive: true, force: true });
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  for (const file of tracked.split('\0')) {
    if (file !== '' && existsSync(join(root, file)) && !/^(?:docs|e2e\/screenshots)\//.test(file))
      cpSync(join(root, file), join(copy, file));
  }
  mkdirSync(copy, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
}

function readLog(): Map<string, Result> {
  if (!existsSync(log)) return new Map();
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as Result).map((result) => [result.key, result]));
}

/** In a process group of its own, so that it can be ended with everything that its tests started. */
function startRunner(): Promise<ChildProcess> {
  const child = fork(join(copy, 'scripts', 'mutation', 'runner.ts'), {
    cwd: copy,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`The tests cannot be run: ${code}`)));
  });
}

/** Runs tests once; a process that hangs is ended and restarted. */
async function run(asked: Asked, limitMs: number): Promise<Outcome> {
  const asking = runner;
  const outcome = await new Promise<Outcome>((resolve) => {
    const late = setTimeout(() => resolve('timeout'), limitMs);
    const done = (said: Outcome): void => {
      clearTimeout(late);
      asking.removeAllListeners('message').removeAllListeners('exit');
      resolve(said);
    };
    asking.once('message', ({ passed }: { passed: boolean }) => done(passed ? 'survived' : 'noticed'));
    // A change that ends the process counts as noticed.
    asking.once('exit', () => done('noticed'));
    asking.send(asked);
  });
  if (outcome === 'timeout' || asking.exitCode !== null || asking.signalCode !== null) {
    end(asking);
    runner = await startRunner();
  }
  return outcome;
}

function end(child: ChildProcess): void {
  child.removeAllListeners();
  try {
    if (child.pid !== undefined) process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    // It exited on its own.
  }
}
