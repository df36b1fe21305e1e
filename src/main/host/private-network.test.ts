import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCommand } from '../test-support/hosts/call-command.ts';
import {
  closeTestHost,
  filledDataDir,
  freePorts,
  newDataDir,
  openTestHost,
  type TestClient,
  type TestHost,
  until,
} from '../test-support/hosts/open-host.ts';

const PASSPHRASE = 'the passphrase of the vault';
const passphrase = async (): Promise<string> => PASSPHRASE;

let other: TestHost;
let here: TestHost;
const joinUrl = (): string => other.host.info().endpoints.sandbox as string;

/** An installation on the private network; it has a sandbox of its own in its data folder, which does not run. */
function openPrivate(dataDir: string): Promise<TestHost> {
  const overrides = { network: 'private', chainData: 'auto' };
  return openTestHost({ dataDir, overrides, passphrase });
}

beforeAll(async () => {
  other = await openTestHost({
    dataDir: await filledDataDir(),
    overrides: { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' },
  });
  const dataDir = await filledDataDir();
  here = await openPrivate(dataDir);
});
afterAll(async () => {
  await closeTestHost(here);
  await closeTestHost(other);
});

const failureOf = async (promise: Promise<unknown>): Promise<{ id: string }> =>
  promise.then(
    () => Promise.reject(new Error('nothing was refused')),
    (error: { data: { id: string } }) => error.data,
  );

async function pay(from: TestClient, to: TestClient, satoshis: number): Promise<void> {
  const { address } = await to.wallet.addresses.next({ label: '' });
  const request = { to: [{ address, satoshis }], label: '' };
  const { id, review } = await from.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
  await from.wallet.send.approve({ id, digest: review.digest });
  await until(async () => (await other.client.sandbox.status()).mempool.transactions === 1);
  await other.client.sandbox.mine({ blocks: 1 });
  await until(async () => (await from.wallet.send.get({ id })).state === 'mined');
}

describe('the private network', () => {
  it('needs the address of another sandbox and a wallet, and asks that address before it is saved', async () => {
    const { client } = here;
    const missing = async () => (await client.networks.list()).find(({ network }) => network === 'private')?.missing;
    expect(await missing()).toEqual(['upstream', 'wallet']);
    const silent = client.networks.save({ network: 'private', values: { joinUrl: 'http://127.0.0.1:1' } });
    expect(await failureOf(silent)).toMatchObject({ id: 'networks.no-sandbox' });
    expect(await missing()).toEqual(['upstream', 'wallet']);
    await client.networks.save({ network: 'private', values: { joinUrl: joinUrl() } });
    expect(await missing()).toEqual(['wallet']);
  });

  it('refuses a service that is no sandbox', async () => {
    const web = createServer((_, answer) => answer.setHeader('content-type', 'application/json').end('{}'));
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
    const refused = here.client.networks.save({ network: 'private', values: { joinUrl: url } });
    expect(await failureOf(refused)).toMatchObject({ id: 'networks.no-sandbox' });
    web.close();
  });

  it('follows the chain of the other one, two operators agreeing, and asks its miner without a key', async () => {
    const { height, hash } = (await other.client.sandbox.status()).tip;
    await until(async () => (await here.client.explorer.height({})) === height);
    expect((await here.client.explorer.block({ hash, search: '', from: 0 })).hash).toBe(hash);
    await until(async () => (await here.client.headers.status()).isAgreed);
    expect(await here.client.headers.status()).toMatchObject({ chain: 'regtest', lowest: 0 });
    const steps = await here.client.networks.test({ network: 'private' });
    expect(steps.filter(({ step }) => step === 'miner')).toMatchObject([{ miner: 'Sandbox ARC', outcome: 'passed' }]);
    expect(here.host.services().map(({ name }) => name)).not.toContain('sandbox');
  });

  it('passes the test of its node endpoint, which says what it cannot answer', async () => {
    const tests = await here.client.gateway.test({});
    expect(tests.map(({ subject, passed }) => [subject, passed])).toEqual([['gateway', true]]);
    expect(tests[0]?.steps.at(-1)?.message).toContain('need a node');
  });

  it('moves money there and back', async () => {
    await here.client.wallet.create({ words: 12 });
    expect(await here.client.wallet.status()).toMatchObject({ state: 'ready', worthless: false });
    expect((await here.client.wallet.status()).balance.confirmed).toBe(0);
    await pay(other.client, here.client, 200_000);
    await until(async () => (await here.client.wallet.status()).balance.confirmed === 200_000);
    const before = (await other.client.wallet.status()).balance.confirmed;
    await pay(here.client, other.client, 60_000);
    await until(async () => (await other.client.wallet.status()).balance.confirmed > before);
    expect((await here.client.wallet.status()).balance.confirmed).toBeLessThan(140_000);
  });

  it('takes a reorganisation of that chain, and keeps to it where the address has another chain', async () => {
    await other.client.sandbox.reorg({ depth: 2 });
    const { height } = (await other.client.sandbox.status()).tip;
    await until(async () => (await here.client.headers.status()).tip?.height === height);
    const unrelated = await openTestHost({ dataDir: await filledDataDir() });
    await unrelated.client.sandbox.reset({ seed: 'another' });
    await unrelated.client.sandbox.mine({ blocks: 200 });
    const url = unrelated.host.info().endpoints.sandbox as string;
    const refused = here.client.networks.save({ network: 'private', values: { joinUrl: url } });
    expect(await failureOf(refused)).toMatchObject({ id: 'networks.other-sandbox' });
    // set without being asked: nobody agrees, and the chain stays
    await here.client.settings.set({ key: 'joinUrl', value: url });
    await until(async () => !(await here.client.headers.status()).isAgreed);
    const { sources, tip } = await here.client.headers.status();
    expect(sources.some(({ refused }) => refused > 0)).toBe(true);
    expect(tip).toMatchObject({ height });
    await here.client.settings.set({ key: 'joinUrl', value: joinUrl() });
    await closeTestHost(unrelated);
  });
});

describe('planchet serve --join', () => {
  const set = Object.entries(freePorts).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const serve = (...args: string[]) => callCommand(['--json', '--data-dir', folder, ...set, ...args]);
  const folder = newDataDir();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('refuses another network, and an address without a sandbox', async () => {
    const elsewhere = await serve('--network', 'test', 'serve', '--join', joinUrl());
    expect(elsewhere.code).toBe(2);
    expect(JSON.parse(elsewhere.err)).toMatchObject({ error: { hint: expect.stringContaining('--network private') } });
    const nowhere = await serve('--network', 'private', 'serve', '--join', 'http://127.0.0.1:1');
    expect(nowhere.code).toBe(1);
    expect(JSON.parse(nowhere.err).error.message).toContain('No sandbox of Planchet answers');
  });

  it('keeps the address of the sandbox for later commands', { tags: 'long' }, async () => {
    const dataDir = join(folder, 'running');
    const running = await openPrivate(dataDir);
    const line = await callCommand([
      '--json',
      '--data-dir',
      dataDir,
      '--network',
      'private',
      'serve',
      '--join',
      joinUrl(),
    ]);
    expect(line.code, line.err).toBe(0);
    expect(JSON.parse(line.out)).toMatchObject({ network: 'private', sandbox: null, alreadyRunning: true });
    await closeTestHost(running, { keepData: true });
    const synced = await callCommand([
      '--json',
      '--data-dir',
      dataDir,
      '--network',
      'private',
      ...set,
      '--set',
      'chainData=public',
      'headers',
      'sync',
    ]);
    expect(synced.code, synced.err).toBe(0);
    expect(JSON.parse(synced.out)).toMatchObject({ isAgreed: true, tip: (await other.client.sandbox.status()).tip });
  });
});
