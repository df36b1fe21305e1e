import { createServer } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../commands/shared/run.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import type { TestClient, TestHost } from '../test-support/hosts/open-host.ts';

const hosts = oneHost();
let host: TestHost['host'];
let client: TestClient;
beforeEach(async () => {
  ({ host, client } = await hosts.open());
});

async function savedValue(key: string): Promise<unknown> {
  return (await client.settings.list()).find((entry) => entry.key === key)?.value;
}

async function refusalOf(call: Promise<unknown>): Promise<ReturnType<typeof failureOf>> {
  return failureOf(await call.catch((error: unknown) => error));
}

/** Listens on a port of this machine that the system chooses. */
async function takePort(): Promise<{ port: number; free: () => Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { port, free: () => new Promise((resolve) => server.close(() => resolve())) };
}

describe('a change of a setting', () => {
  it('is told to every window, not by whom', async () => {
    const stop = new AbortController();
    const events = await client.events.subscribe(undefined, { signal: stop.signal });
    for await (const event of events) {
      if (event.type === 'snapshot') host.settings.set('currency.unit', 'bsv');
      if (event.type !== 'settings') continue;
      expect(event.keys).toEqual(['currency.unit']);
      break;
    }
    stop.abort();
  });

  it('is taken back once, to what was saved before', async () => {
    await client.settings.set({ key: 'bitcoinRpcUrl', value: 'http://me:hunter2@127.0.0.1:9/' });
    const { undo } = await client.settings.set({ key: 'bitcoinRpcUrl', value: '' });
    const { entries } = await client.settings.undo({ undo: undo as string });
    expect(entries[0]).toMatchObject({ key: 'bitcoinRpcUrl', value: 'http://me:•••@127.0.0.1:9/' });
    expect(host.settings.current().bitcoinRpcUrl).toContain('hunter2');
    expect(await refusalOf(client.settings.undo({ undo: undo as string }))).toMatchObject({ code: 'not-found' });
  });

  it('waits for the restart of its service, until that or until it is put back', async () => {
    expect(await client.settings.waiting()).toEqual([]);
    const { undo } = await client.settings.set({ key: 'gatewayCacheBytes', value: 1_000_000 });
    const waits = { key: 'gatewayCacheBytes', was: 67_108_864, service: 'gateway' };
    expect(await client.settings.waiting()).toEqual([waits]);
    await client.settings.undo({ undo: undo as string });
    expect(await client.settings.waiting()).toEqual([]);
    await client.settings.set({ key: 'gatewayCacheBytes', value: 1_000_000 });
    await client.services.restart({ name: 'gateway' });
    expect(await client.settings.waiting()).toEqual([]);
    await client.settings.set({ key: 'otlpSamplePercent', value: 1 });
    expect(await client.settings.waiting()).toEqual([{ key: 'otlpSamplePercent', was: 100, service: 'application' }]);
  });
});

describe('a reset of settings', () => {
  it('of everything keeps secrets and the network, and is taken back whole', async () => {
    await client.settings.set({ key: 'rpcPassword', value: 'a password of mine' });
    await client.settings.set({ key: 'theme', value: 'dark' });
    await client.settings.set({ key: 'sandbox.mineInterval', value: '1m' });
    const { entries, undo } = await client.settings.reset({});
    expect(entries.map(({ key, origin }) => [key, origin])).toEqual([
      ['theme', 'default'],
      ['sandbox.mineInterval', 'default'],
    ]);
    expect(host.settings.current().rpcPassword).toBe('a password of mine');
    await client.settings.undo({ undo: undo as string });
    expect([await savedValue('theme'), await savedValue('sandbox.mineInterval')]).toEqual(['dark', '1m']);
    expect(await client.settings.reset({ keys: ['maxFeeRate'] })).toEqual({ entries: [], undo: null });
  });
});

it('a reset removes the key in the vault where it is named, which cannot be taken back', async () => {
  await client.settings.set({ key: 'apiKey', value: 'a key of a service' });
  const { entries, undo } = await client.settings.reset({ keys: ['apiKey'] });
  expect(entries).toMatchObject([{ key: 'apiKey', isSet: false }]);
  expect(undo).toBeNull();
});

describe('a file of settings', () => {
  it('holds no secret, says what it would change, and is taken back whole', async () => {
    await client.settings.set({ key: 'rpcPassword', value: 'never in a file' });
    await client.settings.set({ key: 'databaseUrl', value: 'postgres://me:hunter3@db/x' });
    await client.settings.set({ key: 'bitcoinRpcUrl', value: 'http://me:hunter2@127.0.0.1:9/' });
    await client.settings.set({ key: 'maxFeeRate', value: 500 });
    const { text, fileName } = await client.settings.export();
    expect(fileName).toMatch(/\.json$/);
    for (const secret of ['never in a file', 'hunter2', 'hunter3']) expect(text).not.toContain(secret);
    await client.settings.reset({ keys: ['maxFeeRate', 'bitcoinRpcUrl'] });
    const preview = await client.settings.previewImport({ text });
    expect(preview).toContainEqual({
      key: 'maxFeeRate',
      from: 1_000,
      to: 500,
      effect: 'change',
      reason: '',
      failure: null,
    });
    // The password is not in the file, so the address alone would be of no use.
    expect(preview).toContainEqual(expect.objectContaining({ key: 'bitcoinRpcUrl', effect: 'refused' }));
    const { entries, undo } = await client.settings.import({ text });
    expect(entries.map(({ key }) => key)).toEqual(['maxFeeRate']);
    await client.settings.undo({ undo: undo as string });
    expect(await savedValue('maxFeeRate')).toBe(1_000);
  });

  it('leaves out the network, secrets, unknown keys and wrong values, and names why', async () => {
    const settings = { network: 'main', rpcPassword: 'x', noSuchKey: 1, maxFeeRate: -5, theme: 'dark', rpcBind: ':1' };
    const text = JSON.stringify({ planchetSettings: 1, settings });
    const preview = await client.settings.previewImport({ text });
    expect(preview.map(({ key, effect, reason }) => [key, effect, reason !== ''])).toEqual([
      ['network', 'refused', true],
      ['rpcPassword', 'refused', true],
      ['noSuchKey', 'refused', true],
      ['maxFeeRate', 'refused', true],
      ['theme', 'change', false],
      ['rpcBind', 'refused', true],
    ]);
    await client.settings.import({ text });
    expect([await savedValue('theme'), await savedValue('network')]).toEqual(['dark', 'sandbox']);
    const many = JSON.stringify({
      planchetSettings: 1,
      settings: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [n, 0])),
    });
    for (const wrong of ['', '[]', '{"settings":{}}', '{"planchetSettings":1,"settings":[]}', many]) {
      expect(await refusalOf(client.settings.previewImport({ text: wrong }))).toMatchObject({ code: 'invalid-input' });
    }
  });
});

describe('the port of an address', () => {
  it('is tried before it is saved: what holds it is named and the next free one proposed', async () => {
    const taken = await takePort();
    try {
      const probe = await client.settings.probePort({ key: 'writerBind', value: `:${taken.port}` });
      expect(probe).toMatchObject({ port: taken.port, isFree: false });
      if (process.platform === 'linux') expect(probe.usedBy).toBeTruthy();
      expect(Number(probe.proposal?.slice(1))).toBeGreaterThan(taken.port);
      const proposed = await client.settings.probePort({ key: 'writerBind', value: probe.proposal as string });
      expect(proposed.isFree).toBe(true);
    } finally {
      await taken.free();
    }
  });

  it('is free for the service that listens there, and taken by it for any other', async () => {
    const { endpoints } = await client.app.info();
    const port = new URL(endpoints.rpc as string).port;
    const probe = (key: string, value: string) => client.settings.probePort({ key, value });
    expect(await probe('rpcBind', `:${port}`)).toMatchObject({ isFree: true });
    expect(await probe('zmqAddress', `tcp://:${port}`)).toMatchObject({ isFree: false, usedBy: 'gateway' });
    expect(await probe('zmqAddress', 'tcp://:0')).toMatchObject({ isFree: true });
    expect(await refusalOf(probe('maxFeeRate', '5'))).toMatchObject({ code: 'invalid-input' });
  });
});
