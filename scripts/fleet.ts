/**
 * `npm run fleet`: starts a fleet like that of deploy/compose.yaml on this machine: PostgreSQL, two `planchet serve` with the same wallet that
 * share its queue, and HAProxy with deploy/haproxy.cfg in front of both. Documents are sent through HAProxy, one writer is killed meanwhile, and in the
 * end the blocks must contain each document exactly once. A third process is the network they write to. Needs `haproxy`; PostgreSQL comes from npm.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase, startPostgres } from '../src/main/writer/test-support/postgres.ts';
import { root } from './paths.ts';

const DOCUMENTS = Number(process.argv.find((arg) => arg.startsWith('--documents='))?.split('=')[1] ?? 200);
const SENDERS = 8;
/** Documents claimed by a killed writer wait a minute for another one. */
const SETTLE_LIMIT_MS = 240_000;
const NEXT_LOOK_MS = 500;
/** User and password of both gateways, so that either can answer. */
const FLEET_USER = 'fleet:one-for-all-machines';

export interface FleetReport {
  readonly accepted: number;
  /** How often a sender had to retry, because its connection broke or no writer was available. */
  readonly repeated: number;
  /** RPC calls through HAProxy, and how many of them failed while a gateway was killed. */
  readonly calls: number;
  readonly failedCalls: number;
  readonly onChain: number;
  readonly lost: readonly number[];
  readonly twice: readonly number[];
}

interface Ready {
  ready: boolean;
  rpc: string;
  writer: string;
  baseUrl: string;
  mapi: string;
  zmq: string;
  sandboxApiKey: string;
  rpcCookieFile: string;
  problems: unknown[];
}

/** Whether HAProxy is installed. */
export function hasHaproxy(): boolean {
  return spawnSync('haproxy', ['-v']).error === undefined;
}

/** Runs the complete test in temporary folders, and stops what it started. */
export async function runFleet(documents: number): Promise<FleetReport> {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-fleet-'));
  const children: ChildProcess[] = [];
  const postgres = await startPostgres();
  try {
    // The first start creates the wallet and the API key, and the two machines then share them.
    const first = await serve(children, join(folder, 'network'), {});
    await stop(first.child);
    for (const name of ['a', 'b']) cpSync(join(folder, 'network'), join(folder, name), { recursive: true });
    const network = await serve(children, join(folder, 'network'), { 'sandbox.mineOnArrival': '300ms' });
    const nodeUser = readFileSync(network.ready.rpcCookieFile, 'utf8').trim();
    const shared = {
      rpcUsername: FLEET_USER.split(':')[0] as string,
      rpcPassword: FLEET_USER.split(':')[1] as string,
      databaseUrl: await createDatabase(postgres.url),
      bitcoinRpcUrl: network.ready.rpc.replace('http://', `http://${nodeUser}@`),
      bitcoinZmqUrl: network.ready.zmq,
      mapiUrl: network.ready.mapi,
      baseUrl: network.ready.baseUrl,
    };
    const a = await serve(children, join(folder, 'a'), shared);
    const b = await serve(children, join(folder, 'b'), shared);
    const [writerPort, rpcPort] = await Promise.all([freePort(), freePort()]);
    const proxy = startHaproxy({
      PLANCHET_WRITER_BIND: `127.0.0.1:${writerPort}`,
      PLANCHET_RPC_BIND: `127.0.0.1:${rpcPort}`,
      PLANCHET_A_WRITER: new URL(a.ready.writer).host,
      PLANCHET_B_WRITER: new URL(b.ready.writer).host,
      PLANCHET_A_RPC: new URL(a.ready.rpc).host,
      PLANCHET_B_RPC: new URL(b.ready.rpc).host,
    });
    children.push(proxy);
    const writerUrl = `http://127.0.0.1:${writerPort}`;
    const rpcUrl = `http://127.0.0.1:${rpcPort}`;
    await until('HAProxy lets a call through', async () => (await fetch(`${writerUrl}/health`)).status === 200);
    assert.equal((await fetch(`${writerUrl}/health`, { headers: { origin: 'https://example.org' } })).status, 403);

    const report = { accepted: 0, repeated: 0, calls: 0, failedCalls: 0 };
    const key = first.ready.sandboxApiKey;
    let next = 0;
    const sender = async (): Promise<void> => {
      for (let n = next++; n < documents; n = next++) {
        if (n === Math.floor(documents / 2)) b.child.kill('SIGKILL');
        await untilAccepted(writerUrl, key, n, () => report.repeated++);
        report.accepted++;
        report.calls++;
        if (!(await call(rpcUrl, FLEET_USER, 'getblockcount').then(Number.isInteger, () => false)))
          report.failedCalls++;
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));

    const found = new Map<number, number>();
    let height = 0;
    await until(
      'every document is in a block',
      async () => {
        const tip = (await call(network.ready.rpc, nodeUser, 'getblockcount')) as number;
        for (; height < tip; height++)
          for (const n of await documentsIn(network.ready.rpc, nodeUser, height + 1))
            found.set(n, (found.get(n) ?? 0) + 1);
        return found.size >= documents;
      },
      SETTLE_LIMIT_MS,
    ).catch(() => {});
    const all = Array.from({ length: documents }, (_, n) => n);
    return {
      ...report,
      onChain: found.size,
      lost: all.filter((n) => !found.has(n)),
      twice: all.filter((n) => (found.get(n) ?? 0) > 1),
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function serve(
  children: ChildProcess[],
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Promise<{ child: ChildProcess; ready: Ready }> {
  const all = {
    consoleAddress: '127.0.0.1:0',
    rpcBind: '127.0.0.1:0',
    zmqAddress: 'tcp://127.0.0.1:0',
    writerBind: '127.0.0.1:0',
    'sandbox.bind': '127.0.0.1:0',
    'sandbox.zmqAddress': 'tcp://127.0.0.1:0',
    writerFunding: 'wallet',
    ...settings,
  };
  const args = ['src/main/cli.ts', 'serve', '--json', '--data-dir', dataDir];
  for (const [key, value] of Object.entries(all)) args.push('--set', `${key}=${value}`);
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = JSON.parse(line) as Ready;
    assert.deepEqual(ready.problems, []);
    return { child, ready };
  }
  throw new Error('planchet serve ended before it was ready.');
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function startHaproxy(env: Readonly<Record<string, string>>): ChildProcess {
  const config = join(root, 'deploy', 'haproxy.cfg');
  const all = { ...process.env, ...env };
  const { status, stderr } = spawnSync('haproxy', ['-c', '-f', config], { env: all, encoding: 'utf8' });
  assert.equal(status, 0, `haproxy refuses its configuration: ${stderr}`);
  return spawn('haproxy', ['-db', '-f', config], { env: all, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Sends a document until a writer accepts it, with the same key each time. */
async function untilAccepted(url: string, key: string, n: number, again: () => void): Promise<void> {
  await until(`document ${n} is accepted`, async () => {
    try {
      const reply = await fetch(`${url}/api/v1/write?wait=accepted`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': `fleet-${n}`,
        },
        body: JSON.stringify({ fleet: n }),
      });
      const text = await reply.text();
      if (reply.status === 200 || reply.status === 201 || reply.status === 202) return true;
      assert.ok(reply.status >= 500 || reply.status === 429, `a writer refused: ${reply.status} ${text}`);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
    again();
    return false;
  });
}

async function call(url: string, cookie: string, method: string, params: unknown[] = []): Promise<unknown> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(cookie).toString('base64')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '1.0', id: 1, method, params }),
  });
  const { result, error } = (await reply.json()) as { result: unknown; error: unknown };
  if (error) throw new Error(JSON.stringify(error));
  return result;
}

/** The numbers of the documents in a block, read from its outputs. */
async function documentsIn(url: string, cookie: string, height: number): Promise<number[]> {
  const hash = await call(url, cookie, 'getblockhash', [height]);
  const block = Buffer.from((await call(url, cookie, 'getblock', [hash, 0])) as string, 'hex').toString('latin1');
  return [...block.matchAll(/\{"fleet":(\d+)\}/g)].map(([, n]) => Number(n));
}

async function until(what: string, holds: () => Promise<boolean>, limitMs = 60_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds().catch((error) => (error instanceof assert.AssertionError ? Promise.reject(error) : false)))) {
    if (performance.now() > end) throw new Error(`It did not come to this in time: ${what}.`);
    await pause(NEXT_LOOK_MS);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

if (import.meta.main) {
  if (!hasHaproxy()) {
    console.error('haproxy is not installed.');
    process.exit(2);
  }
  const started = performance.now();
  const report = await runFleet(DOCUMENTS);
  console.log({ ...report, seconds: Math.round((performance.now() - started) / 1000) });
  process.exitCode = report.lost.length === 0 && report.twice.length === 0 && report.failedCalls === 0 ? 0 : 1;
}
