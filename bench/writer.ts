import { execFile } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { request } from 'undici';
import { startProcess } from '../src/main/test-support/crash/processes.ts';
import type { SandboxProcessOptions, SandboxReady } from '../src/main/test-support/crash/sandbox-process.ts';
import type { WriterProcessOptions, WriterReady } from '../src/main/test-support/crash/writer-process.ts';
import type { Report } from './report.ts';
import type { LoadOptions, LoadResult } from './support/load/http-load.ts';

const API_KEY = 'testnet_0123456789abcdef';
const CONNECTIONS = 32;
const OFFERED = 3_000;
const REQUESTS = 9_000;
/** The machine's pace changes within seconds: the middle one of so many counts. */
const ROUNDS = 5;
const END_TO_END = 5_000;
const SYNCS = 200;
const LONGEST_END_MS = 120_000;
const BODY = JSON.stringify({ text: 'x'.repeat(501) });
/** What Node itself is told. */
const asTheApplication = { args: process.execArgv };
const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
const loader = fileURLToPath(new URL('support/load/http-load.ts', import.meta.url));
const states = ['accepted', 'funded', 'signed', 'submitted', 'seen', 'mined', 'dead'];

/**
 * The writer, its network and its clients in a process each, as where a network is somebody else's. What is accepted is paid for, signed
 * and sent meanwhile, also while accepting is measured.
 */
export async function run(report: Report): Promise<void> {
  report('this disk: 4 KB appended and synced, p50', diskSync(), 'ms');
  await withWriter(1, async (url) => {
    const alone = await load(url, { connections: 1, requests: 500 });
    report('accepted, one after the other, p50', middle(alone), 'ms', '<= 1');
    const rounds: LoadResult[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await load(url, { rate: OFFERED, requests: REQUESTS }));
    const open = (of: (round: LoadResult) => number): number =>
      rounds.map(of).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number;
    report(`accepted, ${OFFERED}/s offered over ${CONNECTIONS} connections`, open(rateOf), 'documents/s');
    report(`  latency from the time a request was due, p50, middle of ${ROUNDS}`, open(middle), 'ms', '<= 1');
    const medians = rounds.map(middle);
    report('    lowest of them', Math.min(...medians), 'ms');
    report('    highest of them', Math.max(...medians), 'ms');
    report(
      '  p99',
      open((round) => at(round, 0.99)),
      'ms',
    );
    // Each connection sends again when it has its answer, so the latency is at least 32 divided by the rate.
    const closed = await load(url, { requests: REQUESTS });
    report(`accepted, ${CONNECTIONS} connections as fast as they can`, rateOf(closed), 'documents/s', '>= 3000');
    report('  latency, p50', middle(closed), 'ms');
    await allProven(url);
    report('accepted to proven, one a transaction', await endToEnd(url), 'documents/s', '>= 500');
  });
  await withWriter(50, async (url) => {
    report('accepted to proven, 50 a transaction', await endToEnd(url), 'documents/s', '>= 500');
  });
}

async function withWriter(
  writerDocumentsPerTransaction: number,
  measure: (url: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-bench-'));
  const sandboxOptions: SandboxProcessOptions = {
    dataDir: join(folder, 'sandbox'),
    apiKey: API_KEY,
    mineOnArrival: '500ms',
  };
  const sandbox = startProcess<SandboxReady>('sandbox-process.ts', sandboxOptions, asTheApplication);
  try {
    const { endpoints } = await sandbox.ready;
    const options: WriterProcessOptions = {
      dataDir: join(folder, 'writer'),
      apiKey: API_KEY,
      endpoints,
      settings: { writerDocumentsPerTransaction },
    };
    const writer = startProcess<WriterReady>('writer-process.ts', options, asTheApplication);
    try {
      const { url } = await writer.ready;
      // The coins of the first rounds are made, and the code is compiled, which takes the first seconds of a load.
      await load(url, { rate: OFFERED, requests: REQUESTS });
      await allProven(url);
      await measure(url);
    } finally {
      await writer.end();
    }
  } finally {
    await sandbox.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns milliseconds of a sync in the folder the writer uses: no answer that waits for the disk comes sooner */
function diskSync(): number {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-bench-'));
  const file = openSync(join(folder, 'sync'), 'a');
  const block = Buffer.alloc(4_096, 1);
  const times = Array.from({ length: SYNCS }, () => {
    const started = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - started;
  });
  closeSync(file);
  rmSync(folder, { recursive: true, force: true });
  return times.sort((a, b) => a - b)[SYNCS / 2] ?? 0;
}

async function load(
  origin: string,
  changes: Pick<LoadOptions, 'requests'> & Partial<LoadOptions>,
): Promise<LoadResult> {
  const path = '/api/v1/write?wait=accepted';
  const options: LoadOptions = { origin, path, headers, body: BODY, connections: CONNECTIONS, ...changes };
  const { stdout } = await promisify(execFile)(process.execPath, [loader, JSON.stringify(options)], {
    maxBuffer: 100_000_000,
  });
  return JSON.parse(stdout) as LoadResult;
}

/** @returns documents a second from the first request until the last document has its proof */
async function endToEnd(url: string): Promise<number> {
  const started = performance.now();
  await load(url, { requests: END_TO_END });
  await allProven(url);
  return (END_TO_END * 1_000) / (performance.now() - started);
}

async function allProven(url: string): Promise<void> {
  for (const end = performance.now() + LONGEST_END_MS; performance.now() < end; ) {
    const open = await Promise.all(
      states.map(async (state) => {
        const answer = await request(`${url}/api/v1/writes?state=${state}&limit=1`, { headers });
        return ((await answer.body.json()) as { documents: unknown[] }).documents.length;
      }),
    );
    if (open.every((count) => count === 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('not every document was proven in time');
}

function rateOf({ latencies, milliseconds }: LoadResult): number {
  return (latencies.length * 1_000) / milliseconds;
}

function middle(result: LoadResult): number {
  return at(result, 0.5);
}

function at({ latencies }: LoadResult, share: number): number {
  return latencies[Math.floor(latencies.length * share)] ?? 0;
}
