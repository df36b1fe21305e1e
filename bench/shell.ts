/**
 * What a busy host costs the process that draws menus and moves the window: its event loop while programs call the node endpoint, with the
 * host in the same process, and in a process of its own. The own process is a child of plain Node, which stands for Electron's utility process.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { createHost } from '../src/main/host/host.ts';
import { utilityHosts } from '../src/main/shell/host/utility-host.ts';
import type { Report } from './report.ts';

const SECONDS = 8;
const ports = ['consoleAddress', 'rpcBind', 'writerBind', 'sandbox.bind'].map((key) => [key, '127.0.0.1:0']);
const zmq = ['zmqAddress', 'sandbox.zmqAddress'].map((key) => [key, 'tcp://127.0.0.1:0']);
const overrides = Object.fromEntries([...ports, ...zmq]);

/** Calls the endpoint from a third process: 32 at a time, each a batch of 200 calls. */
const load = `
const [url, credentials, seconds] = process.argv.slice(1);
const call = (id) => ({ id, method: id % 2 ? 'getblockchaininfo' : 'getmempoolinfo', params: [] });
const body = JSON.stringify(Array.from({ length: 200 }, (_, id) => call(id)));
const headers = { authorization: 'Basic ' + Buffer.from(credentials).toString('base64'), 'content-type': 'application/json' };
const end = Date.now() + seconds * 1000;
let calls = 0;
await Promise.all(Array.from({ length: 32 }, async () => {
  while (Date.now() < end) { const answer = await fetch(url, { method: 'POST', headers, body }); await answer.text(); if (answer.ok) calls += 200; }
}));
console.log(calls);
`;

interface Form {
  readonly rpc: string;
  stop(): Promise<void>;
}

async function inProcess(dataDir: string): Promise<Form> {
  const host = await createHost({
    dataDir,
    version: '0.1.0',
    shell: 'desktop',
    scope: 'all',
    overrides,
    rendererDir: dataDir,
  });
  await host.start();
  return { rpc: host.info().endpoints.rpc as string, stop: () => host.stop() };
}

async function ownProcess(dataDir: string): Promise<Form> {
  const entry = fileURLToPath(new URL('../src/main/host-process.ts', import.meta.url));
  const start = (path: string) => {
    const child = fork(path, [], { serialization: 'advanced', execArgv: [] });
    return Object.assign(child, { postMessage: (message: object) => void child.send(message) });
  };
  // no picture is made here
  const link = await utilityHosts({ electron: { utilityProcess: { fork: start } } as never, entry, pictures: '' })({
    dataDir,
    version: '0.1.0',
    overrides,
    safeMode: false,
    rendererDir: dataDir,
    keychain: {
      weak: true,
      available: async () => false,
      allowsPassphrase: async () => false,
      encrypt: async () => new Uint8Array(),
      decrypt: async () => ({ text: '' }),
    },
    onRestart: () => {},
    onCrash: () => {},
    onBack: () => {},
    onGone: () => {},
  });
  await link.start();
  return { rpc: (await link.client.app.info()).endpoints.rpc as string, stop: () => link.stop() };
}

async function measure(
  report: Report,
  name: string,
  open: (dataDir: string) => Promise<Form>,
  target?: string,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'planchet-bench-shell-'));
  try {
    const form = await open(dataDir);
    const credentials = readFileSync(join(dataDir, '.cookie'), 'utf8').trim();
    const loop = monitorEventLoopDelay({ resolution: 1 });
    const child = spawn(process.execPath, ['--input-type=module', '-e', load, form.rpc, credentials, String(SECONDS)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let calls = '';
    child.stdout.on('data', (text) => {
      calls += text;
    });
    loop.enable();
    await once(child, 'close');
    loop.disable();
    report(`${name}: calls answered`, Number(calls) / SECONDS, '/s');
    report(`${name}: event loop of the shell, p99`, loop.percentile(99) / 1e6, 'ms');
    report(`${name}: event loop of the shell, longest`, loop.max / 1e6, 'ms', target);
    await form.stop();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

export async function run(report: Report): Promise<void> {
  await measure(report, 'host in the same process', inProcess);
  await measure(report, 'host in its own process', ownProcess, 'at most 50 ms');
}
