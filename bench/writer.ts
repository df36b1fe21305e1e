import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

const CONNECTIONS = 32;
const BODY = JSON.stringify({ text: 'x'.repeat(501) });

type Report = (name: string, value: number, unit: string, target?: string) => void;

/** The whole application in a process of its own, on the sandbox, loaded from this one. */
export async function run(report: Report): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'planchet-bench-'));
  const bound = ['consoleAddress', 'rpcBind', 'writerBind', 'sandbox.bind'].map((key) => `${key}=127.0.0.1:0`);
  const zmq = ['zmqAddress', 'sandbox.zmqAddress'].map((key) => `${key}=tcp://127.0.0.1:0`);
  const more = ['writerDocumentsPerTransaction=50', 'sandbox.mineOnArrival=500ms'];
  const set = [...bound, ...zmq, ...more].flatMap((one) => ['--set', one]);
  const cli = fileURLToPath(new URL('../src/main/cli.ts', import.meta.url));
  const host = spawn(process.execPath, [cli, '--data-dir', dataDir, '--json', ...set, 'serve'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const line = await new Promise<string>((resolve) => createInterface(host.stdout).once('line', resolve));
    const { writer, sandboxApiKey } = JSON.parse(line) as { writer: string; sandboxApiKey: string };
    const pool = new Pool(writer, { connections: CONNECTIONS });
    const headers = { authorization: `Bearer ${sandboxApiKey}`, 'content-type': 'application/json' };
    const write = async (wait: string): Promise<number> => {
      const started = performance.now();
      const answer = await pool.request({ path: `/api/v1/write?wait=${wait}`, method: 'POST', headers, body: BODY });
      await answer.body.dump();
      if (answer.statusCode > 202) throw new Error(`HTTP ${answer.statusCode}`);
      return performance.now() - started;
    };
    await write('mined');

    const alone: number[] = [];
    for (let n = 0; n < 500; n++) alone.push(await write('accepted'));
    report('accepted, one after the other, p50', median(alone), 'ms', '<= 1');

    const total = 10_000;
    const started = performance.now();
    let sent = 0;
    const times: number[] = [];
    const client = async (): Promise<void> => {
      while (sent++ < total) times.push(await write('accepted'));
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, client));
    report('accepted, 32 connections', (total * 1_000) / (performance.now() - started), 'documents/s', '>= 3000');
    report('accepted, 32 connections, p50', median(times), 'ms');

    const states = async (state: string): Promise<number> => {
      const answer = await pool.request({ path: `/api/v1/writes?state=${state}&limit=1`, method: 'GET', headers });
      return ((await answer.body.json()) as { documents: unknown[] }).documents.length;
    };
    const open = ['accepted', 'funded', 'signed', 'submitted', 'seen', 'mined'];
    for (const end = performance.now() + 120_000; performance.now() < end; ) {
      if ((await Promise.all(open.map(states))).every((count) => count === 0)) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    report(
      'accepted to proven, 50 a transaction',
      (total * 1_000) / (performance.now() - started),
      'documents/s',
      '>= 500',
    );
    await pool.close();
  } finally {
    const gone = new Promise((resolve) => host.once('exit', resolve));
    host.kill('SIGTERM');
    await gone;
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
