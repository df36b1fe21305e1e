import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromHex, parseInscription } from '../../chain/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import {
  addItem,
  closeTestHost,
  filledDataDir,
  freePorts,
  newDataDir,
  openTestHost,
  type TestClient,
  type TestHost,
  until,
  walletPaid,
} from '../test-support/hosts/open-host.ts';
import { pngOf } from '../test-support/png.ts';
import { openVault } from '../vault/vault.ts';
import { createHost, openWalletKeys } from './host.ts';

let dataDir: string;
let opened: TestHost | undefined;
let squatter: Server | undefined;
beforeEach(() => {
  dataDir = newDataDir();
});
afterEach(async () => {
  if (opened) await closeTestHost(opened);
  opened = undefined;
  squatter?.close();
  squatter = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(options: Parameters<typeof openTestHost>[0] = { dataDir }): Promise<TestClient> {
  opened = await openTestHost(options);
  return opened.client;
}

async function failureFrom(promise: Promise<unknown>): Promise<ReturnType<typeof failureOf>> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown, 'a failure was expected').toBeDefined();
  return failureOf(thrown);
}

async function mintOne(
  client: TestClient,
  bytes: Uint8Array,
  name = 'art.png',
): Promise<{ jobId: string; itemId: string }> {
  const project = await client.projects.create({ name: 'Studies', type: 'single' });
  const itemId = await addItem(client, project.uid, { name, bytes });
  await walletPaid(client);
  const { address } = await client.wallet.status();
  const job = await client.mint.create({
    itemIds: [itemId],
    destination: address as string,
    idempotencyKey: randomBytes(8).toString('hex'),
  });
  await until(async () => {
    const { awaitingApproval, review, failure } = await client.mint.get({ id: job.id });
    if (failure) throw new Error(failure.message);
    return awaitingApproval && review ? client.mint.approve({ id: job.id, digest: review.digest }) : undefined;
  });
  return { jobId: job.id, itemId };
}

const png = (): Uint8Array => pngOf(randomBytes(1_000).toString('hex'));

function occupy(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    squatter = server;
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}

describe('the whole application', () => {
  it('turns a file into a mined, proven token that the gateway shows byte by byte', async () => {
    const client = await start();
    const bytes = png();
    const { jobId, itemId } = await mintOne(client, bytes);
    const job = await until(async () => {
      const current = await client.mint.get({ id: jobId });
      return current.state === 'proven' && current;
    });
    const answer = await client.node.call({ method: 'getrawtransaction', params: [job.txid, true] });
    const tx = answer.result as { vout: { value: number; scriptPubKey: { hex: string } }[]; blockhash: string };
    const inscription = parseInscription(fromHex(tx.vout[0]?.scriptPubKey.hex ?? ''));
    expect(tx.vout[0]?.value).toBe(0.00000001);
    expect(Buffer.from(inscription?.content ?? [])).toEqual(Buffer.from(bytes));
    expect(inscription?.map).toMatchObject({ name: 'art.png', type: 'ord', subType: 'single', metal: 'copper' });
    expect(tx.blockhash).toBe(job.blockHash);
    expect(job.proof?.blockHash).toBe(job.blockHash);

    const [token] = (await client.tokens.list({})).tokens;
    expect(token).toMatchObject({ outpoint: `${job.txid}_0`, itemId, state: 'proven' });
    const quota = await client.quota.get();
    expect(quota).toMatchObject({ totalUsed: 1, available: (quota?.monthlyMintLimit ?? 0) - 1 });
    const view = await client.transactions.get({ txid: job.txid as string });
    expect(view.outputs[0]?.inscription?.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(view.fee).toBe(job.fee);
  });

  it('keeps what it has over a restart', async () => {
    const first = await start();
    const { jobId } = await mintOne(first, png());
    await until(async () => (await first.mint.get({ id: jobId })).state === 'proven');
    // the wallet hears of the block by itself, maybe after the mint; a balance from before that would never come again
    await until(async () => (await first.wallet.status()).balance.unconfirmed === 0);
    const before = { job: await first.mint.get({ id: jobId }), wallet: await first.wallet.status() };
    await closeTestHost(opened as TestHost, { keepData: true });
    const second = await start();
    expect(await second.mint.get({ id: jobId })).toEqual(before.job);
    await until(
      async () => JSON.stringify((await second.wallet.status()).balance) === JSON.stringify(before.wallet.balance),
    );
    expect((await second.wallet.status()).address).toBe(before.wallet.address);
  }, 180_000);

  it('writes no secret to its logs', async () => {
    const client = await start();
    const { host } = opened as TestHost;
    const { jobId } = await mintOne(client, png());
    await until(async () => (await client.mint.get({ id: jobId })).state === 'proven');
    await client.settings.set({ key: 'rpcPassword', value: 'a password of my own' });
    const { writer, rpc } = host.info().endpoints;
    const apiKey = host.sandboxApiKey();
    await fetch(`${writer}/api/v1/write`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    await fetch(`${rpc}/`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('planchet:a wrong guess')}` },
      body: '{}',
    });
    const loginToken = host.createLoginToken();
    const lockToken = (JSON.parse(readFileSync(join(dataDir, 'planchet.lock'), 'utf8')) as { token: string }).token;
    const cookie = readFileSync(host.cookieFile, 'utf8').split(':')[1] as string;
    const keys = await openWalletKeys({ dataDir });
    const secrets = [
      apiKey,
      'a password of my own',
      loginToken,
      lockToken,
      cookie,
      keys.mnemonic(),
      host.settings.current().rpcPassword,
    ];
    await closeTestHost(opened as TestHost, { keepData: true });
    opened = undefined;
    const logs = readdirSync(join(dataDir, 'logs')).map((name) => readFileSync(join(dataDir, 'logs', name), 'utf8'));
    expect(logs.join('').length).toBeGreaterThan(100);
    for (const secret of secrets) expect(logs.join('').includes(secret), 'a secret stands in the log').toBe(false);
  });

  it('is the only one in its data folder', async () => {
    await start();
    await expect(
      createHost({ dataDir, version: 'test', shell: 'terminal', scope: 'core', rendererDir: dataDir }),
    ).rejects.toMatchObject({ code: 'store-locked' });
  });

  it('leaves its data folder alone if it is stopped while it starts', async () => {
    const host = await createHost({
      dataDir,
      version: 'test',
      shell: 'terminal',
      scope: 'all',
      rendererDir: dataDir,
      overrides: freePorts,
    });
    const events = host.context.events.subscribe(() => host.context.app.snapshot());
    const started = host.start();
    for await (const event of events) if (event.type === 'service') break;
    await Promise.all([host.stop(), started]);
    expect(host.services().filter(({ status }) => status.state !== 'stopped')).toEqual([]);
    expect(existsSync(join(dataDir, 'planchet.lock'))).toBe(false);
  });

  it('stops and leaves neither lock nor cookie', async () => {
    await start();
    const { host } = opened as TestHost;
    await host.stop();
    expect(existsSync(join(dataDir, 'planchet.lock'))).toBe(false);
    expect(existsSync(host.cookieFile)).toBe(false);
  });
});

describe('a port that is taken', () => {
  beforeEach(() => filledDataDir(dataDir));

  it.each([
    ['gateway', 'rpcBind', (port: number) => `127.0.0.1:${port}`],
    ['zmq', 'zmqAddress', (port: number) => `tcp://127.0.0.1:${port}`],
    ['writer', 'writerBind', (port: number) => `127.0.0.1:${port}`],
    ['console', 'consoleAddress', (port: number) => `127.0.0.1:${port}`],
    ['metrics', 'metricsBind', (port: number) => `127.0.0.1:${port}`],
    ['sandbox', 'sandbox.bind', (port: number) => `127.0.0.1:${port}`],
  ] as const)('is the failure of the %s alone, with the fix', async (name, key, address) => {
    const port = await occupy();
    const client = await start({ dataDir, overrides: { [key]: address(port) } });
    const statuses = await client.services.list();
    const failed = statuses.filter(({ status }) => status.state === 'failed');
    expect(failed.map((status) => status.name)).toEqual([name]);
    expect(failed[0]?.status).toMatchObject({ state: 'failed', failure: { code: 'port-in-use' } });
    expect(JSON.stringify(failed[0])).toContain(key);
    expect(JSON.stringify(failed[0])).toContain(String(port));
  });

  it('can be freed and the service restarted', async () => {
    const port = await occupy();
    const client = await start({ dataDir, overrides: { rpcBind: `127.0.0.1:${port}` } });
    await new Promise((resolve) => squatter?.close(resolve));
    const restarted = await client.services.restart({ name: 'gateway' });
    expect(restarted.status).toMatchObject({ state: 'running', address: `http://127.0.0.1:${port}` });
  });
});

describe('bad input', () => {
  beforeEach(() => filledDataDir(dataDir));

  it('of a file gets a clear error and changes nothing', async () => {
    const client = await start({ dataDir, overrides: { maxTokenBytes: 10_000 } });
    expect(await failureFrom(client.files.begin({ name: 'a.png', bytes: 0, contentType: '' }))).toMatchObject({
      code: 'file-empty',
    });
    const large = await failureFrom(client.files.begin({ name: 'a.png', bytes: 100_000_000, contentType: '' }));
    expect(large.code).toBe('file-too-large');
    expect(large.message + large.hint).toMatch(/10,000|10 kB|maxTokenBytes/);
    const { uploadId } = await client.files.begin({ name: 'a.unheardof', bytes: 4, contentType: '' });
    await client.files.append({ uploadId, offset: 0, piece: new Blob([new Uint8Array([0, 1, 2, 255])]) });
    expect(await failureFrom(client.files.finish({ uploadId }))).toMatchObject({ code: 'content-type-unknown' });
  });

  it('of metadata gets a clear error and changes nothing', async () => {
    const client = await start();
    const project = await client.projects.create({ name: 'P', type: 'single' });
    const failure = await failureFrom(
      client.items.create({
        projectUid: project.uid,
        sha256: 'ab'.repeat(32),
        fileName: 'x',
        metadata: { name: '  ', description: '', traits: [] },
      }),
    );
    expect(failure.code).toBe('invalid-input');
    expect(failure.message).toContain('name');
    expect(await client.items.list({ projectUid: project.uid })).toEqual([]);
  });

  it('of an address gets a clear error and changes nothing', async () => {
    const client = await start();
    const { failure: invalid } = await client.wallet.validateAddress({ address: 'not an address' });
    expect(invalid).toMatchObject({ code: 'address-invalid' });
    const { failure: wrong } = await client.wallet.validateAddress({ address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' });
    expect(wrong).toMatchObject({ code: 'address-wrong-network' });
    const project = await client.projects.create({ name: 'P', type: 'single' });
    const itemId = await addItem(client, project.uid, { name: 'a.png', bytes: png() });
    for (const destination of ['not an address', '1BoatSLRHtKNngkdXEeobR76b53LETtpyT']) {
      const failure = await failureFrom(
        client.mint.create({ itemIds: [itemId], destination, idempotencyKey: 'bad-address' }),
      );
      expect(failure.code).toMatch(/^address-/);
    }
    expect(await client.mint.list({})).toEqual({ jobs: [], next: null });
    expect((await client.items.list({ projectUid: project.uid }))[0]?.state).toBe('draft');
  });

  it('without enough money gets a clear error and changes nothing', { tags: 'long' }, async () => {
    await start();
    await closeTestHost(opened as TestHost, { keepData: true });
    // Another seed on the same chain: a wallet that was never paid.
    await (await openVault({ dataDir, network: 'sandbox' })).delete('seed:sandbox');
    const client = await start();
    const project = await client.projects.create({ name: 'P', type: 'single' });
    const itemId = await addItem(client, project.uid, { name: 'a.png', bytes: png() });
    const { address } = await client.wallet.status();
    const estimate = await client.mint.estimate({ itemIds: [itemId], destination: address as string });
    expect(estimate.problems.map(({ code }) => code)).toEqual(['funds-insufficient']);
    const failure = await failureFrom(
      client.mint.create({ itemIds: [itemId], destination: address as string, idempotencyKey: 'too-poor' }),
    );
    expect(failure.code).toBe('funds-insufficient');
    expect((await client.items.list({ projectUid: project.uid }))[0]?.state).toBe('draft');
    await client.sandbox.fund({ address: address as string, satoshis: 1_000_000 });
    await until(async () => (await client.wallet.status()).balance.spendable === 1_000_000);
  });

  it('to a sandbox that is dead gets an error with a hint', async () => {
    const port = await occupy();
    const client = await start({ dataDir, overrides: { 'sandbox.bind': `127.0.0.1:${port}` } });
    const failure = await failureFrom(client.projects.create({ name: 'P', type: 'single' }));
    expect(failure.code).toMatch(/upstream|not-running|api-key/);
    expect(failure.hint).toBeTruthy();
    expect((await failureFrom(client.sandbox.mine({ blocks: 1 }))).code).toBe('not-running');
  });
});

describe('settings and keys', () => {
  it('that are broken are set aside with a notice', async () => {
    writeFileSync(join(dataDir, 'settings.json'), '{ "network": "sandbox", broken');
    const client = await start();
    const { notices } = await client.app.snapshot();
    const said = notices.filter(({ hint }) => hint?.includes('settings.json.bad-'));
    expect(said).toHaveLength(1);
    // which can be read after the next start as well
    await closeTestHost(opened as TestHost, { keepData: true });
    const next = await start();
    expect((await next.app.snapshot()).notices).toEqual([]);
    expect(await next.app.pastNotices()).toEqual(said);
  });

  it('of real networks are never made silently', async () => {
    const client = await start({ dataDir, scope: 'core', overrides: { network: 'main' } });
    expect(await client.wallet.status()).toMatchObject({ state: 'missing', address: null, network: 'main' });
    expect(existsSync(join(dataDir, 'vault.json'))).toBe(false);
    expect((await failureFrom(client.sandbox.mine({ blocks: 1 }))).code).toBe('not-running');
  });

  it('open with the right passphrase only, and a wrong one changes nothing', async () => {
    const options = { dataDir, overrides: { network: 'test' } };
    const keys = await openWalletKeys({ ...options, passphrase: async () => 'correct horse' });
    await keys.create();
    const before = readFileSync(join(dataDir, 'vault.json'));
    await expect(openWalletKeys({ ...options, passphrase: async () => 'wrong' })).rejects.toMatchObject({
      code: 'vault-passphrase-wrong',
    });
    expect(readFileSync(join(dataDir, 'vault.json'))).toEqual(before);
    expect((await openWalletKeys({ ...options, passphrase: async () => 'correct horse' })).mnemonic()).toBe(
      keys.mnemonic(),
    );
    const client = await start({ ...options, scope: 'core', passphrase: async () => undefined });
    expect(await client.wallet.status()).toMatchObject({ state: 'locked' });
  });
});
