/** Fails if the Electron of package.json is not one of the newest three major versions, since only these get security fixes. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.ts';

const SUPPORTED_MAJORS = 3;

/** @returns the problem with the version in use, undefined if it is supported */
export function supportProblem(used: string, newest: string): string | undefined {
  const [own = 0, latest = 0] = [used, newest].map((version) => Number.parseInt(version, 10));
  if (latest - own < SUPPORTED_MAJORS) return undefined;
  return `Electron ${used} left support: ${newest} is the newest, and ${latest - SUPPORTED_MAJORS + 1} the oldest that gets fixes.`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = execFileSync('npm', ['view', 'electron', 'version'], { encoding: 'utf8' }).trim();
  const problem = supportProblem(devDependencies.electron, version);
  console.log(problem ?? `Electron ${devDependencies.electron} is supported; the newest is ${version}.`);
  process.exitCode = problem === undefined ? 0 : 1;
}
