import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { PlanchetError, type SandboxFault, type Settings } from '../../../contract/index.ts';
import { lockingScriptOf } from '../../sandbox/node/test-support/open-node.ts';
import { MemorySecrets, TestSettings, walletAddress, walletKey } from '../../sandbox/test-support/open-sandbox.ts';
import { createWorkerPool } from '../../workers/worker-pool.ts';
import { createSandboxThread } from './sandbox-thread.ts';

const FAULT = { name: 'http-error', value: 503, times: null, area: 'mapi' } as const satisfies SandboxFault;

/** A sandbox in a thread, not started yet, and all that it told. */
function create(sandbox: Partial<Settings['sandbox']> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-sandbox-'));
  const settings = new TestSettings(sandbox);
  const pool = createWorkerPool({ size: 1 });
  const told: string[] = [];
  const works: string[] = [];
  const faults: (readonly SandboxFault[])[] = [];
  const logged: Record<string, unknown>[] = [];
  const secrets = new MemorySecrets();
  const thread = createSandboxThread({
    settings,
    logger: pino({ level: 'trace', base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    secrets,
    dataDir: folder,
    walletScript: () => lockingScriptOf(walletKey),
    chainChanged: () => told.push('chain'),
    faultsChanged: (on) => faults.push(on),
    workers: {
      run: (work) => {
        works.push(work.name);
        return pool.run(work);
      },
    },
  });
  onTestFinished(async () => {
    await thread.stop();
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const post = async (path: string, body: unknown, authorization: string): Promise<Response> =>
    fetch(new URL(path, thread.endpoints().baseUrl), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const rpc = async (method: string, params: unknown[]): Promise<unknown> => {
    const { username, password, pathname } = new URL(thread.endpoints().bitcoinRpcUrl);
    const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    return ((await (await post(pathname, { method, params }, basic)).json()) as { result: unknown }).result;
  };
  return { thread, told, works, faults, logged, secrets, settings, post, rpc };
}

it('a sandbox in a thread serves its APIs and its controls, and checks scripts in the threads of the host', async () => {
  const { thread, works, rpc } = create();
  const { address } = await thread.start();
  expect(thread.endpoints().baseUrl).toBe(`${address}/token/v1`);
  const { txid } = await thread.fund({ address: walletAddress, satoshis: 1_000 });
  const { hashes } = await thread.mine({ blocks: 1 });
  expect(await rpc('getbestblockhash', [])).toBe(hashes[0]);
  expect((await thread.chain({ limit: 1 })).blocks[0]?.hash).toBe(hashes[0]);
  expect(await rpc('getrawtransaction', [txid, 1])).toMatchObject({ blockhash: hashes[0] });
  expect(works.length).toBeGreaterThan(0);
  expect(await thread.spenders([`${txid}_0`])).toEqual(new Map());
  // as the console calls it, with the signal of its request
  expect((await thread.status(new AbortController().signal)).tip.hash).toBe(hashes[0]);
});

it('a sandbox in a thread has told the host of a block before whoever asked for it is answered', async () => {
  const { thread, told, rpc } = create();
  await thread.start();
  told.length = 0;
  await thread.mine({ blocks: 1 });
  expect(told).toEqual(['chain']);
  const asked = rpc('generatetoaddress', [1, walletAddress]);
  await asked;
  expect(told).toEqual(['chain', 'chain']);
});

it('a sandbox in a thread fails as it does without one', async () => {
  const { thread } = create();
  await expect(thread.mine({ blocks: 1 })).rejects.toMatchObject({ id: 'sandbox.not-running' });
  expect(() => thread.apiKey()).toThrow(PlanchetError);
  await thread.start();
  await expect(thread.fund({ address: 'nobody', satoshis: 1 })).rejects.toMatchObject({ code: 'address-invalid' });
  await expect(thread.snapshots.revert({ name: 'none' })).rejects.toMatchObject({ code: 'not-found' });
  await thread.stop();
  await expect(thread.status()).rejects.toMatchObject({ id: 'sandbox.not-running' });
  expect(() => thread.endpoints()).toThrow(PlanchetError);
});

it('a sandbox in a thread keeps its secrets with the host and its key when its network is replaced', async () => {
  const { thread, secrets, post } = create();
  await thread.start();
  const key = new TextDecoder().decode(secrets.get('apiKey:sandbox'));
  expect(thread.apiKey()).toBe(key);
  expect([...secrets.values.keys()].sort()).toEqual(['apiKey:sandbox', 'minerId', 'sandboxFaucet']);
  await thread.snapshots.take({ name: 'before' });
  await thread.mine({ blocks: 3 });
  await thread.snapshots.revert({ name: 'before' });
  expect((await post('/admin/mine', { blocks: 1 }, `Bearer ${key}`)).status).toBe(200);
  await thread.stop();
  await thread.start();
  expect(thread.apiKey()).toBe(key);
});

it('a sandbox in a thread follows the settings and tells of its faults', async () => {
  const { thread, settings, faults, post } = create();
  await thread.start();
  expect(await thread.faults.set(FAULT)).toEqual([FAULT]);
  expect(thread.activeFaults()).toEqual([FAULT]);
  await thread.faults.clear({});
  expect(thread.activeFaults()).toEqual([]);
  expect(faults).toEqual([[FAULT], []]);
  const authorization = `Bearer ${thread.apiKey()}`;
  const answers = async (): Promise<number[]> =>
    Promise.all([1, 2, 3].map(async () => (await post('/mapi/txs', [], authorization)).status));
  expect(await answers()).not.toContain(429);
  settings.set({ maxRequestsPerSecond: 1 });
  expect(await answers()).toContain(429);
  await thread.stop();
  expect(settings.listeners.size).toBe(0);
});

it('the thread of a sandbox ends with it, also where it could not start, and its log lines are those of the host', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const ended: Promise<unknown>[] = [];
  const follow = (worker: Worker): void => void ended.push(once(worker, 'exit'));
  process.on('worker', follow);
  onTestFinished(() => void process.off('worker', follow));
  const { thread, settings, logged, secrets } = create({ bind: `127.0.0.1:${port}` });
  await expect(thread.start()).rejects.toMatchObject({ code: 'port-in-use' });
  await ended[0];
  await thread.stop();
  settings.set({ bind: '127.0.0.1:0' });
  secrets.get = () => {
    throw new PlanchetError('vault.locked');
  };
  await expect(thread.start()).rejects.toMatchObject({ code: 'vault-locked' });
  await ended[1];
  secrets.get = () => {
    throw new Error('a defect');
  };
  await expect(thread.start()).rejects.toMatchObject({ code: 'internal' });
  expect(logged).toContainEqual(
    expect.objectContaining({ level: 50, err: expect.objectContaining({ message: 'a defect' }) }),
  );
});

it('the log names an error of the thread of a sandbox and the cause of a failure as it does without one', async () => {
  const { thread, logged } = create();
  await thread.start();
  await expect(thread.fund(null as never)).rejects.toMatchObject({ code: 'internal' });
  expect(logged.at(-1)).toMatchObject({
    level: 50,
    err: { type: 'TypeError', stack: expect.stringContaining('sandbox.ts') },
  });
  await expect(thread.fund({ address: 'nobody', satoshis: 1 })).rejects.toMatchObject({
    cause: { message: expect.any(String), stack: expect.stringContaining('recipientHash') },
  });
});

it('the thread of a sandbox is ended at once where the host cannot wait for it', async () => {
  const { thread, secrets } = create();
  const asked = Promise.withResolvers<void>();
  secrets.get = () => {
    asked.resolve();
    return new Promise<never>(() => {}) as never;
  };
  const starting = thread.start();
  const refused = expect(starting).rejects.toMatchObject({ code: 'cancelled' });
  await asked.promise;
  await thread.end();
  await refused;
  await expect(thread.status()).rejects.toMatchObject({ id: 'sandbox.not-running' });
});

it('whoever ends the thread of a sandbox while it ends waits for its end as well', async () => {
  let isThere = true;
  process.once('worker', (worker) => worker.once('exit', () => (isThere = false)));
  const { thread } = create();
  await thread.start();
  const first = thread.end();
  await thread.end();
  expect(isThere).toBe(false);
  await first;
});

it('a program whose sandbox lost its thread ends, also where no exception says so', () => {
  const program = `
    import { createSandboxThread } from ${JSON.stringify(new URL('sandbox-thread.ts', import.meta.url))};
    process.on('worker', (worker) => worker.once('online', () => worker.terminate()));
    createSandboxThread({ settings: { current: () => ({}), onChange: () => () => {} }, logger: { child: () => {} } });`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(stderr).toContain('the thread of the sandbox ended');
  expect(status).toBe(1);
});
