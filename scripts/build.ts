import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint } from './build/fingerprint.ts';
import { root, tools } from './paths.ts';

const stampFile = join(root, 'out', '.built-from');
const finishedFile = join(root, 'out', '.finished-from');
const tokenLibrary = join('scripts', 'build', 'build-token.ts');
const compressPage = join('scripts', 'build', 'compress-page.ts');
const sources = [
  'src',
  tokenLibrary,
  compressPage,
  'docs/token-library.md',
  'electron.vite.config.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.token.json',
];

/** Builds the desktop and browser bundles and the token library unless they are up to date. */
export function buildIfStale(options: { quiet?: boolean } = {}): void {
  const wanted = buildProgramIfStale(options);
  if (stamp(finishedFile) === wanted) return;
  run([tokenLibrary]);
  run([compressPage]);
  writeFileSync(finishedFile, wanted);
}

/**
 * Builds what is needed to start: the program and its page, not compressed yet.
 * @returns the hash of the sources
 */
export function buildProgramIfStale(options: { quiet?: boolean } = {}): string {
  const wanted = fingerprint(sources);
  if (existsSync(join(root, 'out', 'renderer', 'index.html')) && stamp(stampFile) === wanted) return wanted;
  const started = performance.now();
  if (!options.quiet) process.stderr.write('Building Planchet…');
  rmSync(finishedFile, { force: true });
  run([tools.electronVite, 'build', '--logLevel', 'error']);
  mkdirSync(join(root, 'out'), { recursive: true });
  writeFileSync(stampFile, wanted);
  if (!options.quiet) process.stderr.write(` done in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  return wanted;
}

function stamp(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function run(args: readonly string[]): void {
  const result = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (result.status === 0) return;
  process.stderr.write(`\n${result.stdout}${result.stderr}\nThe build failed.\n`);
  process.exit(1);
}

if (import.meta.main) {
  // npm runs this after it installed everything, or all but what builds. Without the scripts, as in a container, or where the build fails, npm goes on.
  const prepares = process.argv.includes('--prepare');
  if (!prepares || existsSync(tools.electronVite)) buildIfStale();
  if (!prepares) (await import('./docs/build-docs.ts')).buildDocsIfStale();
}
