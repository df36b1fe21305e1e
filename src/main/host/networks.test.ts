import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { networkNeeds } from '../../contract/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { createDirectClient } from '../console/client.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { freePorts, newDataDir, until } from '../test-support/hosts/open-host.ts';
import { openWithPassphrase, sealWithPassphrase } from '../vault/passphrase-seal.ts';
import { type AccountRow, AccountRows } from '../wallet/accounts/account-rows.ts';
import { openBackup } from '../wallet/backup/wallet-backups.ts';
import { HostSeries } from './host-series.ts';
import { openNetworkStore } from './infrastructure.ts';

const PASSPHRASE = 'correct horse battery staple';
const hosts = oneHost();
const open = async (options: Parameters<typeof hosts.open>[0] = {}) => {
  const { client, dataDir } = await hosts.open({ scope: 'core', ...options });
  const profile = async (network: string) => (await client.networks.list()).find((one) => one.network === network);
  const failure = async (call: Promise<unknown>) =>
    failureOf(
      await call.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
  return { client, dataDir, profile, failure };
};

/** What a new network lacks: a key is asked for once a token service is set. */
const atFirst = networkNeeds.filter((need) => need !== 'apiKey');

/** Makes everything that the network lacks. */
async function complete({ client }: Awaited<ReturnType<typeof open>>, network: 'test' | 'main'): Promise<void> {
  await client.networks.save({
    network,
    passphrase: PASSPHRASE,
    values: { bitcoinRpcUrl: 'http://node.example', baseUrl: 'http://token.example/v1', apiKey: 'key-of-my-own' },
  });
  await client.networks.createWallet({ network, passphrase: PASSPHRASE });
  const { text } = await client.networks.createBackup({ network, passphrase: PASSPHRASE });
  await client.networks.checkBackup({ network, text, passphrase: PASSPHRASE });
}

describe('leaving the sandbox', () => {
  it('is refused with the list of what is missing, also as a plain setting', async () => {
    const { client, profile, failure } = await open();
    expect((await profile('test'))?.missing).toEqual(atFirst);
    expect((await profile('sandbox'))?.missing).toEqual([]);
    for (const call of [
      client.networks.switch({ network: 'test' }),
      client.settings.set({ key: 'network', value: 'test' }),
      client.networks.switch({ network: 'test', without: ['upstream', 'wallet', 'apiKey'] }),
    ]) {
      const refused = await failure(call);
      expect(refused).toMatchObject({ code: 'conflict', id: 'networks.incomplete' });
      expect(refused.detail).toEqual({ missing: 'upstream,wallet,backup' });
    }
    const gateway = await failure(client.networks.switch({ network: 'test', use: 'gateway' }));
    expect(gateway.detail).toEqual({ missing: 'upstream' });
    expect((await client.settings.list()).find(({ key }) => key === 'network')?.value).toBe('sandbox');
  });

  it('ends with a network that has all it needs, and its passphrase protects the keys', async () => {
    const opened = await open();
    const { client, profile, failure } = opened;
    expect((await profile('test'))?.passphrase).toBe('new');
    await complete(opened, 'test');
    expect(await profile('test')).toMatchObject({ missing: [], passphrase: 'known' });
    const again = client.networks.createWallet({ network: 'test', passphrase: PASSPHRASE });
    expect((await failure(again)).code).toBe('wallet-exists');
    const wrong = client.networks.createWallet({ network: 'main', passphrase: 'wrong' });
    expect((await failure(wrong)).code).toBe('vault-passphrase-wrong');
    expect(await client.networks.switch({ network: 'test' })).toEqual({
      network: 'test',
      missing: [],
      restarts: false,
    });
    expect(JSON.stringify(await client.networks.list())).not.toContain('key-of-my-own');
  });

  it('backs up the accounts of a network that is not in use beside its seed', async () => {
    const opened = await open();
    await complete(opened, 'test');
    const store = await openNetworkStore(opened.dataDir, 'test');
    const account = {
      id: 'a1',
      kind: 'watch',
      name: 'Till',
      account: null,
      xpub: 'tpub',
      birth_height: 0,
      created_at: 1,
    };
    await new AccountRows(store.db, 'test').insert(account as AccountRow).finally(() => store.close());
    const { text } = await opened.client.networks.createBackup({ network: 'test', passphrase: PASSPHRASE });
    const seal = { seal: sealWithPassphrase, open: openWithPassphrase };
    expect((await openBackup(seal, text, PASSPHRASE)).content.accounts).toMatchObject([{ id: 'a1', name: 'Till' }]);
  });

  it('takes a missing part only where it is named as not needed', async () => {
    const { client } = await open();
    const { missing } = await client.networks.switch({ network: 'test', without: [...networkNeeds] });
    expect(missing).toEqual(['upstream', 'wallet', 'backup']);
  });

  it('needs no node, as public services are asked, unless only a node may be', async () => {
    const { profile } = await open({ overrides: { ...freePorts, chainData: 'auto' } });
    expect((await profile('main'))?.missing).toEqual(['wallet', 'backup']);
  });

  it('needs no wallet where programs use the node endpoint alone', async () => {
    const { client, profile } = await open();
    await client.networks.save({ network: 'test', values: { bitcoinRpcUrl: 'http://node.example' } });
    expect((await profile('test'))?.missing).toEqual(['wallet', 'backup']);
    expect((await client.networks.switch({ network: 'test', use: 'gateway' })).missing).toEqual([]);
  });

  it('asks for the typed name of the main network, complete or not', async () => {
    const opened = await open();
    const { client, failure } = opened;
    const without = [...networkNeeds];
    expect((await failure(client.networks.switch({ network: 'main', without }))).id).toBe('networks.real-money');
    await complete(opened, 'main');
    expect((await failure(client.settings.set({ key: 'network', value: 'main' }))).id).toBe('networks.real-money');
    expect(await client.networks.switch({ network: 'main', word: 'main' })).toMatchObject({ missing: [] });
  });

  it('is refused where the network of the run is named from outside', async () => {
    const { client, failure } = await open({ overrides: { ...freePorts, network: 'sandbox' } });
    const refused = await failure(client.networks.switch({ network: 'test', without: [...networkNeeds] }));
    expect(refused.id).toBe('networks.named-for-this-run');
  });
});

describe('the first secret of a real network', () => {
  it('makes the vault with the passphrase that comes with it, also for the network in use, and for the others', async () => {
    const { client, profile, failure } = await open({ overrides: { ...freePorts, network: 'test' } });
    expect((await profile('test'))?.passphrase).toBe('new');
    const values = { baseUrl: 'http://token.example/v1', apiKey: 'key-of-my-own' };
    expect((await failure(client.networks.save({ network: 'test', values }))).id).toBe('vault.passphrase-required');
    await client.networks.save({ network: 'test', values, passphrase: PASSPHRASE });
    expect((await profile('test'))?.passphrase).toBe('none');
    await client.wallet.create({ words: 12 });
    await client.networks.createWallet({ network: 'main' });
    await client.wallet.lock();
    expect((await profile('main'))?.passphrase).toBe('known');
    expect((await client.wallet.unlock({ passphrase: PASSPHRASE })).state).toBe('ready');
  });

  it('may be one of a network that is not in use', async () => {
    const { client, profile } = await open({ overrides: { ...freePorts, network: 'test' } });
    await client.networks.createWallet({ network: 'main', passphrase: PASSPHRASE });
    expect((await profile('main'))?.missing).not.toContain('wallet');
    expect((await client.wallet.create({ words: 12 })).state).toBe('ready');
  });
});

describe('a wallet that is brought back from a backup file', () => {
  const on = async (network: string) => {
    await hosts.close();
    return open({ overrides: { ...freePorts, network }, passphrase: async () => PASSPHRASE, dataDir: newDataDir() });
  };

  it('has its accounts, and is of the network of the file', async () => {
    const first = await on('test');
    const { address } = await first.client.wallet.create({ words: 12 });
    await first.client.wallet.accounts.create({ name: 'Shop' });
    const { text } = await first.client.wallet.backup.create({ passphrase: PASSPHRASE });
    const file = { text, passphrase: PASSPHRASE };
    const onMain = await on('main');
    expect(await onMain.failure(onMain.client.wallet.restoreBackup(file))).toMatchObject({
      code: 'conflict',
      id: 'wallet.backup-other-network',
    });
    expect((await onMain.client.wallet.status()).state).toBe('missing');
    const second = await on('test');
    const wrong = second.client.wallet.restoreBackup({ text, passphrase: 'wrong' });
    expect((await second.failure(wrong)).code).toBe('vault-passphrase-wrong');
    expect(await second.client.wallet.restoreBackup(file)).toMatchObject({ state: 'ready', network: 'test', address });
    expect((await second.client.wallet.accounts.list()).map(({ name }) => name)).toContain('Shop');
    expect((await second.client.wallet.backup.status()).checkedAt).not.toBeNull();
    expect((await second.failure(second.client.wallet.restoreBackup(file))).code).toBe('wallet-exists');
  });
});

describe('the values of a network', () => {
  it('are saved for a network that is not in use, and leave the one in use alone', async () => {
    const { client, profile, failure } = await open();
    await client.networks.save({ network: 'main', values: { bitcoinRpcUrl: 'http://me:hunter2@node.example/' } });
    const value = (await profile('main'))?.entries.find(({ key }) => key === 'bitcoinRpcUrl')?.value;
    expect(value).toBe('http://me:•••@node.example/');
    expect((await client.settings.list()).find(({ key }) => key === 'bitcoinRpcUrl')?.value).toBe('');
    expect((await profile('main'))?.missing).toEqual(['wallet', 'backup']);
    const foreign = await failure(client.networks.save({ network: 'main', values: { theme: 'dark' } }));
    expect(foreign.id).toBe('networks.not-a-network-setting');
  });
});

describe('the API key of a network that is not in use', () => {
  it('is noted as that network’s, not as that of the one in use', async () => {
    const { client, dataDir, profile } = await open();
    await client.networks.save({
      network: 'main',
      passphrase: PASSPHRASE,
      values: { baseUrl: 'http://token.example/v1', apiKey: 'key-of-my-own' },
    });
    const keyOf = async (network: string) =>
      (await profile(network))?.entries.find(({ key }) => key === 'apiKey')?.isSet;
    await client.networks.save({ network: 'test', values: { baseUrl: 'http://token.example/v1' } });
    expect((await profile('test'))?.missing).toContain('apiKey');
    expect((await profile('main'))?.missing).not.toContain('apiKey');
    expect([await keyOf('main'), await keyOf('test'), await keyOf('sandbox')]).toEqual([true, false, false]);
    const saved = JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')) as Record<string, unknown>;
    expect(saved).not.toHaveProperty('apiKey');
  });
});

describe('the change of the network', () => {
  it('starts everything on it at the same address, with the browsers signed in, and comes back', async () => {
    const dataDir = newDataDir();
    const series = await HostSeries.create({
      dataDir,
      version: 'test',
      shell: 'terminal',
      scope: 'all',
      rendererDir: '/nonexistent',
      overrides: freePorts,
    });
    try {
      await series.host.start();
      const { console: address } = series.host.info().endpoints;
      const { origin, hash } = new URL(series.host.createLoginUrl());
      const login = await fetch(`${origin}/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ token: hash.replace('#token=', '') }),
      });
      const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
      const before = series.host;
      const client = createDirectClient(before.context);
      expect(await client.networks.switch({ network: 'test', without: [...networkNeeds] })).toMatchObject({
        restarts: true,
      });
      await until(async () => series.host !== before && series.host.info().endpoints.console === address);
      expect(series.host.info().network).toBe('test');
      expect((await fetch(`${origin}/session`, { headers: { cookie } })).status).toBe(200);
      await createDirectClient(series.host.context).networks.switch({ network: 'sandbox' });
      await until(
        async () => series.host.info().network === 'sandbox' && series.host.info().endpoints.console !== null,
      );
    } finally {
      await series.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('ends with the reason where neither the next host nor the one before can be built', async () => {
    const dataDir = newDataDir();
    const options = { dataDir, version: 'test', shell: 'terminal', scope: 'core', rendererDir: dataDir } as const;
    const series = await HostSeries.create({ ...options, overrides: freePorts });
    try {
      await series.host.start();
      rmSync(join(dataDir, 'settings.json'), { force: true });
      mkdirSync(join(dataDir, 'settings.json'));
      series.restart();
      await expect(series.lost).rejects.toThrow(/settings\.json|EISDIR/);
      expect(existsSync(join(dataDir, 'planchet.lock'))).toBe(false);
    } finally {
      await series.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('the question of the first start', () => {
  it('is open until it is answered, and is none where something was made', async () => {
    const { host, client, dataDir } = await hosts.open({ scope: 'core' });
    expect(host.info().firstStart).toBe(true);
    await client.projects.create({ name: 'Mine', type: 'single' });
    await hosts.close();
    const again = await hosts.open({ scope: 'core', dataDir });
    expect(again.host.info().firstStart).toBe(false);
  });

  it('is not asked again once it was', async () => {
    const { client, dataDir } = await hosts.open({ scope: 'core' });
    await client.app.welcomed();
    await hosts.close();
    expect((await hosts.open({ scope: 'core', dataDir })).host.info().firstStart).toBe(false);
  });
});
