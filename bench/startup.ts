import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../e2e/support/host.ts';
import type { Report } from './report.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const RUNS = 5;

/** `npm start` until everything listens: with nothing built, and again with everything as the first left it. */
export async function run(report: Report): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'planchet-bench-'));
  try {
    rmSync(join(root, 'out'), { recursive: true, force: true });
    report('npm start, cold (nothing built, new data folder)', await secondsUntilReady(dataDir), 's', 'at most 10 s');
    const warm: number[] = [];
    for (let n = 0; n < RUNS; n += 1) warm.push(await secondsUntilReady(dataDir));
    report(`npm start, warm (median of ${RUNS})`, warm.sort((a, b) => a - b)[RUNS >> 1] as number, 's', 'at most 3 s');
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function secondsUntilReady(dataDir: string): Promise<number> {
  const settings = Object.entries(freePorts).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const started = performance.now();
  const child = spawn('npm', ['start', '--', '--terminal', '--data-dir', dataDir, ...settings], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes('Press Ctrl-C to stop.')) break;
  }
  const seconds = (performance.now() - started) / 1000;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  process.kill(-(child.pid as number), 'SIGINT');
  await ended;
  return seconds;
}
