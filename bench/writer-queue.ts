import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { type StartedProcess, startProcess } from '../src/main/test-support/crash/processes.ts';
import type { WriterProcessOptions, WriterReady } from '../src/main/test-support/crash/writer-process.ts';
import type { Report } from './report.ts';
import { storeDocuments, TAGS } from './support/stored-documents.ts';

const API_KEY = 'testnet_0123456789abcdef';
const QUEUED = 1_000_000;
/** 0 leaves the long past out. */
const STORED = Number(process.env.BENCH_STORED ?? 10_000_000);
/** A folder that keeps the stored documents, so that a second run asks at once what takes minutes to prepare. */
const KEPT = process.env.BENCH_KEPT;
const REPEATS = 30;
const headers = { authorization: `Bearer ${API_KEY}` };
/** Nobody listens there: whatever is accepted stays in the queue. */
const nowhere = 'http://127.0.0.1:1';

/** How the writer bears a long queue, and a long past. It runs in a process of its own, started as the application is, without a network. */
export async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-bench-'));
  try {
    if (KEPT === undefined) await longQueue(report, join(folder, 'queue'));
    if (STORED > 0) await longPast(report, KEPT ?? join(folder, 'past'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function startWriter(dataDir: string): StartedProcess<WriterReady> {
  const endpoints = { baseUrl: '', consoleBaseUrl: '', mapiUrl: nowhere, bitcoinRpcUrl: nowhere, bitcoinZmqUrl: '' };
  const options: WriterProcessOptions = { dataDir, apiKey: API_KEY, endpoints, settings: {} };
  return startProcess<WriterReady>('writer-process.ts', options, { args: process.execArgv });
}

async function longQueue(report: Report, dataDir: string): Promise<void> {
  const writer = startWriter(dataDir);
  try {
    const { url } = await writer.ready;
    const started = performance.now();
    const answer = await request(`${url}/api/v1/write/batch`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
      body: Readable.from(lines()),
    });
    let answers = 0;
    let early: number | undefined;
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      for (const byte of piece) if (byte === 10) answers += 1;
      if (answers >= QUEUED / 10) early ??= memory(writer, 'VmRSS');
    }
    if (answers !== QUEUED) throw new Error(`${answers} answers for ${QUEUED} documents`);
    report('queued in one batch', (QUEUED * 1_000) / (performance.now() - started), 'documents/s');
    report('memory after the first 100,000', early ?? 0, 'MB');
    report('memory after all', memory(writer, 'VmRSS'), 'MB');
    const page = `${url}/api/v1/writes?state=accepted&limit=100`;
    report(`page of the queue, slowest of ${REPEATS}`, (await timesOf(() => page)).at(-1) ?? 0, 'ms', '<= 50');
    report('peak memory over 1,000,000 queued documents', memory(writer, 'VmHWM'), 'MB', '<= 300');
  } finally {
    await writer.end();
  }
}

/** @returns megabytes a process has, or had at most */
function memory({ child }: StartedProcess<WriterReady>, figure: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(new RegExp(`${figure}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_000;
}

function* lines(): Generator<string> {
  const text = 'x'.repeat(480);
  for (let from = 0; from < QUEUED; from += 100) {
    yield Array.from({ length: 100 }, (_, n) => `{"n":${String(from + n).padStart(9)},"text":"${text}"}\n`).join('');
  }
}

async function longPast(report: Report, dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const stored = await storeDocuments(join(dataDir, 'writer.db'), API_KEY, STORED);
  const writer = startWriter(dataDir);
  try {
    const { url } = await writer.ready;
    await warmUp();
    const some = (): number => {
      const n = Math.floor(Math.random() * STORED * 0.98);
      // Those of the other key are not shown to ours.
      return n % 100 === 7 || n % 1_000 === 0 ? n + 1 : n;
    };
    const tag = (): string => `tag${Math.floor(Math.random() * TAGS)}`;
    const queries: Record<string, () => string> = {
      'by id': () => `writes/${stored.idOf(some())}`,
      'by txid': () => `writes/${stored.txidOf(some())}`,
      'newest page': () => 'writes?limit=100',
      'page somewhere in the middle': () => `writes?limit=100&cursor=${stored.idOf(some())}`,
      'page since a time, oldest first': () =>
        `writes?limit=100&order=asc&since=${Number.parseInt(stored.idOf(some()).slice(0, 12), 16)}`,
      'page of a tag': () => `writes?limit=100&tag=${tag()}&cursor=${stored.idOf(some())}`,
      'page of a state, many': () => `writes?limit=100&state=proven&cursor=${stored.idOf(some())}`,
      'page of a state, few': () => `writes?limit=100&state=dead&cursor=${stored.idOf(some())}`,
      'page of a tag and a state': () => `writes?limit=100&tag=${tag()}&state=proven&cursor=${stored.idOf(some())}`,
      'largest page, 1,000 documents': () => `writes?limit=1000&cursor=${stored.idOf(some())}`,
      usage: () => 'usage',
    };
    for (const [name, path] of Object.entries(queries)) {
      const times = await timesOf(() => `${url}/api/v1/${path()}`);
      report(`${STORED.toLocaleString('en')} stored, ${name}, p50`, times[REPEATS / 2] ?? 0, 'ms');
      report(`  slowest of ${REPEATS}`, times.at(-1) ?? 0, 'ms', '<= 50');
    }
  } finally {
    await writer.end();
  }
}

/** What the client does for the first time is not the writer's; the writer itself stays as it is after its start. */
async function warmUp(): Promise<void> {
  const server = createServer((_, response) => void response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await timesOf(() => `http://127.0.0.1:${port}/`);
  server.close();
}

/** @returns milliseconds until the last byte of each answer, ascending */
async function timesOf(url: () => string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < REPEATS; n++) {
    const started = performance.now();
    const answer = await request(url(), { headers });
    const text = await answer.body.text();
    times.push(performance.now() - started);
    if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}: ${text}`);
  }
  return times.sort((a, b) => a - b);
}
