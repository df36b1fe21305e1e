import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NetworkSource } from '../../contract/index.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { newDataDir, type TestClient, until } from '../test-support/hosts/open-host.ts';

const KEY = 'mainnet_0123456789abcdef';
const hosts = oneHost();

let server: Server;
let url: string;
let asked: { path: string; headers: IncomingHttpHeaders }[];
let client: TestClient;
let dataDir: string;
beforeEach(async () => {
  asked = [];
  server = createServer(({ url: path = '', headers }, response) => {
    asked.push({ path, headers });
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  dataDir = newDataDir();
  ({ client } = await hosts.open({
    dataDir,
    scope: 'core',
    overrides: { network: 'test', chainData: 'public' },
    passphrase: async () => 'one long passphrase',
  }));
  for (const name of ['cdn', 'bananablocks', 'arcade', 'onesat'] as const)
    await client.networks.sources.save({ network: 'test', name, address: `${url}/${name}` });
});
afterEach(() => server.close());

const of = (sources: readonly NetworkSource[], name: string) => sources.find((one) => one.name === name);
const save = (change: { on?: boolean; address?: string; key?: string }) =>
  client.networks.sources.save({ network: 'test', name: 'whatsonchain', ...change });
const failure = async (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('nothing was refused')),
    (error: { data: { id: string } }) => error.data.id,
  );
const keysSent = (prefix: string) =>
  asked
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ headers }) => headers['woc-api-key'] ?? headers.authorization);

describe('the public services of a network', () => {
  it('are switched one by one, and the last one stays', async () => {
    const list = await client.networks.sources.list({ network: 'main' });
    expect(list.map(({ name, on, host, hasKey }) => [name, on, host, hasKey])).toEqual([
      ['cdn', true, 'cdn.projectbabbage.com', false],
      ['whatsonchain', true, 'api.whatsonchain.com', false],
      ['bananablocks', true, 'bananablocks.com', false],
      ['arcade', true, 'arcade-v2-us-1.bsvblockchain.tech', false],
      ['onesat', true, 'api.1sat.app', false],
    ]);
    expect(of(list, 'whatsonchain')).toMatchObject({ operator: 'TAAL', learns: 'addresses' });
    const network = 'main' as const;
    await client.networks.sources.save({ network, name: 'onesat', on: false });
    await client.networks.sources.save({ network, name: 'arcade', address: 'https://own.example/arcade' });
    const changed = await client.networks.sources.save({ network, name: 'arcade', on: false });
    expect(of(changed, 'arcade')).toMatchObject({ on: false, address: 'https://own.example/arcade' });
    expect(of(changed, 'onesat')).toMatchObject({ on: false, host: 'api.1sat.app' });
    for (const name of ['cdn', 'bananablocks'] as const)
      await client.networks.sources.save({ network, name, on: false });
    const last = client.networks.sources.save({ network, name: 'whatsonchain', on: false });
    expect(await failure(last)).toBe('networks.last-source');
    const other = await client.networks.sources.list({ network: 'test' });
    expect(other.every(({ on }) => on)).toBe(true);
  });

  it('are asked with the key that the vault has, at the address that it was given for alone', async () => {
    expect(of(await save({ address: `${url}/woc`, key: KEY }), 'whatsonchain')).toMatchObject({ hasKey: true });
    await client.networks.test({ network: 'test' });
    await until(async () => keysSent('/woc').length > 0);
    expect(new Set(keysSent('/woc').slice(-1))).toEqual(new Set([KEY]));
    // nobody else gets it, and no file or log has it in the open
    expect(
      asked.filter(({ path }) => !path.startsWith('/woc')).flatMap(({ headers }) => Object.values(headers)),
    ).not.toContain(KEY);
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name)).includes(KEY), name).toBe(false);
    expect(existsSync(join(dataDir, 'settings.json'))).toBe(true);

    const moved = await save({ address: `${url}/elsewhere` });
    expect(of(moved, 'whatsonchain')).toMatchObject({ hasKey: false });
    await client.networks.test({ network: 'test' });
    await until(async () => keysSent('/elsewhere').length > 0);
    expect(keysSent('/elsewhere')).not.toContain(KEY);
    // another service gets a key in the usual way
    await client.networks.sources.save({ network: 'test', name: 'arcade', key: 'abc' });
    await client.networks.test({ network: 'test' });
    await until(async () => keysSent('/arcade').includes('Bearer abc'));
  });

  it('get no key at an address that was set in another way', async () => {
    await save({ address: `${url}/woc`, key: KEY });
    await client.settings.set({ key: 'publicSources', value: `whatsonchain=${url}/moved` });
    await client.networks.test({ network: 'test' });
    await until(async () => keysSent('/moved').length > 0);
    expect(keysSent('/moved')).not.toContain(KEY);
    await client.settings.set({ key: 'publicSources', value: `whatsonchain=${url}/woc` });
    await client.networks.test({ network: 'test' });
    await until(async () => keysSent('/woc').includes(KEY));
  });

  it('take no key where it would be readable on the way, nor an address that is none', async () => {
    expect(await failure(save({ address: 'http://own.example/woc', key: KEY }))).toBe('networks.source-key-plain');
    expect(of(await client.networks.sources.list({ network: 'test' }), 'whatsonchain')).toMatchObject({
      address: '',
      hasKey: false,
    });
    await expect(save({ address: 'own.example' })).rejects.toBeDefined();
    await expect(save({ address: `${url}/a,arcade` })).rejects.toBeDefined();
  });
});
