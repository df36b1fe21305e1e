import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningHost, startHost } from '../e2e/support/host.ts';
import { launch } from '../scripts/launch.ts';
import type { RunResult } from '../src/contract/index.ts';
import { runCommand } from '../src/main/test-support/hosts/command-line.ts';
import { pngOf } from '../src/main/test-support/png.ts';
import type { Report } from './report.ts';
import { compareInscriptions } from './support/inscriptions.ts';

/** Satoshis for the fees of 100 MB at 500 a 1,000 bytes, and room. */
const MONEY = 200_000_000;
const SMALL = Number(process.env.BENCH_SMALL ?? 10_000);
const LARGE = Number(process.env.BENCH_LARGE ?? 1_000);

/**
 * A folder with a table becomes a collection on the sandbox, by the commands a person would use: all of it on two cores. Each collection has a
 * host of its own, which proves no other one meanwhile. Then inscriptions are built and signed beside js-1sat-ord.
 */
export async function run(report: Report): Promise<void> {
  pinToTwoCores();
  const small = await mintAlone('small', SMALL, 1_000);
  report(`${SMALL} items of 1 KB, import to submission`, small.overall, 'items/s', 'at least 250');
  report('the run alone', small.run, 'items/s');
  report('peak memory of the host meanwhile', small.memory, 'MB', 'at most 400');
  const large = await mintAlone('large', LARGE, 100_000);
  report(`${LARGE} items of 100 KB, import to submission`, large.overall, 'items/s', 'at least 60');
  report('the run alone', large.run, 'items/s');
  report('peak memory of the host meanwhile', large.memory, 'MB');
  await compareInscriptions(report);
}

interface Speed {
  /** Items a second from the folder to the last submission. */
  readonly overall: number;
  /** Items a second of the run, without the import. */
  readonly run: number;
  /** Megabytes that the host had at most. */
  readonly memory: number;
}

async function mintAlone(name: string, count: number, bytes: number): Promise<Speed> {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-bench-mint-'));
  const host = await startHost({
    dataDir: join(folder, 'data'),
    set: { 'sandbox.monthlyMintLimit': '1000000' },
    ...launch,
  });
  try {
    const { address } = await host.client().wallet.status();
    await planchet(folder, 'sandbox', 'fund', address ?? '', String(MONEY));
    await planchet(folder, 'sandbox', 'mine', '1');
    return { ...(await mintFolder(folder, name, count, bytes)), memory: peakMemory(host) };
  } finally {
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** This process and all that it starts. Only Linux lets a process choose; elsewhere all cores are used. */
function pinToTwoCores(): void {
  if (process.platform === 'linux') execFileSync('taskset', ['-acp', '0,1', String(process.pid)], { stdio: 'ignore' });
}

async function mintFolder(folder: string, name: string, count: number, bytes: number): Promise<Omit<Speed, 'memory'>> {
  const art = join(folder, name);
  mkdirSync(art);
  const rows = ['file,name,eyes'];
  for (let n = 1; n <= count; n++) {
    writeFileSync(join(art, `${n}.png`), pngOf(`${name} ${n} `.padEnd(bytes, '.')));
    rows.push(`${n}.png,${name} ${n},${n % 7}`);
  }
  const table = join(folder, `${name}.csv`);
  writeFileSync(table, rows.join('\n'));
  const started = performance.now();
  await planchet(folder, 'import', art, '--project', name, '--table', table);
  const result = (await planchet(folder, 'mint', '--project', name, '--wait', 'submitted')) as RunResult;
  const seconds = (performance.now() - started) / 1_000;
  if (result.minted < count) throw new Error(`${result.minted} of ${count} items were minted`);
  return { overall: count / seconds, run: count / result.seconds };
}

async function planchet(folder: string, ...args: string[]): Promise<unknown> {
  const { code, out, err } = await runCommand(['--data-dir', join(folder, 'data'), '--json', ...args]);
  if (code !== 0) throw new Error(`planchet ${args.join(' ')}: ${err}`);
  return out === '' ? undefined : JSON.parse(out);
}

/** Megabytes the host had at most. */
function peakMemory({ process: { pid } }: RunningHost): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000;
}
