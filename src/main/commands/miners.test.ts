import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningHost, startHost } from '../../../e2e/support/host.ts';
import type { Failure, Miner, MinerTest } from '../../contract/index.ts';
import { AlteringProxy } from '../test-support/altering-proxy.ts';
import { walletFollows } from '../test-support/hosts/wallet-follows.ts';
import { addMinersCommands } from './miners.ts';
import { failureOf } from './shared/run.ts';
import { withClient } from './shared/with-client.ts';
import { runCommand } from './test-support/run-command.ts';

let folder: string;
let dataDir: string;
let host: RunningHost;
let proxy: AlteringProxy;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-miners-cli-'));
  dataDir = join(folder, 'data');
  host = await startHost({ dataDir });
  await walletFollows(host.client());
  proxy = await AlteringProxy.open(host.ready.mapi);
});
afterAll(async () => {
  await host.stop();
  await proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

const globals = () => ({ dataDir, set: {}, json: true, safeMode: false });

const miners = <T>(...args: string[]) => runCommand<T>(dataDir, addMinersCommands, ['miners', ...args]);

const refusal = (call: Promise<unknown>): Promise<Failure | undefined> => call.then(() => undefined, failureOf);

it('planchet miners adds, lists, tests and removes a miner', async () => {
  const { apiKey } = await withClient(globals(), (client) => client.sandbox.createKey({}));
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, `${apiKey}\n`);

  const before = await miners<MinerTest>('test', proxy.url, '--api-key-file', keyFile);
  expect(before).toMatchObject({ value: { passed: true, address: proxy.url }, exitCode: undefined });
  expect(before.text).toContain('✓ signature: Signed with the key 0');

  const added = await miners<Miner>('add', 'Near', proxy.url, '--api-key-file', keyFile, '--off');
  expect(added.value).toMatchObject({ name: 'Near', kind: 'mapi', enabled: false, hasKey: true, keyStyle: 'bearer' });
  expect(added.text).not.toContain(apiKey);
  expect(await refusal(miners('add', 'near', proxy.url))).toMatchObject({ id: 'miners.name-taken' });
  const wrongKey = miners('add', 'Other', 'https://arc.example/v1', '--kind', 'arc', '--public-key', '02ab');
  expect(await refusal(wrongKey)).toMatchObject({ id: 'merchant.key-malformed' });

  const list = await miners<Miner[]>('list', '--ask');
  expect(list.value.at(-1)).toMatchObject({ id: added.value.id, failure: null, requests: { succeeded: 1 } });
  expect(list.text).toContain('Near (mAPI, off)');
  expect(list.text).toMatch(/\d+ satoshis for 1000 bytes; data \d+ for 1000 bytes/);

  const enabled = await miners<Miner>('enable', 'near');
  expect(enabled).toMatchObject({
    value: { id: added.value.id, enabled: true },
    text: expect.stringContaining('(mAPI, on)'),
  });
  expect((await miners<Miner>('disable', added.value.id)).value).toMatchObject({ name: 'Near', enabled: false });
  const builtIn = await miners<Miner>('disable', 'default');
  expect(builtIn.value).toMatchObject({ builtIn: true, enabled: false });
  expect((await miners<Miner[]>('list')).value[0]).toMatchObject({ id: 'default', enabled: false });
  expect((await miners<Miner>('enable', 'default')).value).toMatchObject({ builtIn: true, enabled: true });
  expect(await refusal(miners('enable', 'nobody'))).toMatchObject({ code: 'not-found' });

  writeFileSync(keyFile, 'wrong');
  const refused = await miners<MinerTest>('test', 'near', '--api-key-file', keyFile);
  expect(refused).toMatchObject({ value: { passed: false }, exitCode: 1 });
  expect(refused.text).toMatch(/✗ key: .*\n {4}→ .*\n {2}- quote: /);

  expect((await miners('remove', 'NEAR')).value).toEqual({ removed: added.value.id, name: 'Near' });
  expect(await refusal(miners('test', 'Near'))).toMatchObject({ code: 'not-found' });
});

it('planchet miners names the presets of a network, refuses one that is unknown, and adds and tests an Arcade', async () => {
  expect(await miners('presets')).toMatchObject({ value: [], text: 'This network has none.' });
  expect(await refusal(miners('add', '--preset', 'arcade'))).toMatchObject({ id: 'miners.preset-unknown' });
  expect(await refusal(miners('add', 'Name alone'))).toMatchObject({ id: 'miners.add-incomplete' });
  const arcade = await miners<Miner>(
    'add',
    'Arcade here',
    host.ready.mapi.replace(/mapi$/, 'arcade'),
    '--kind',
    'arcade',
  );
  expect(arcade.value).toMatchObject({ kind: 'arcade', key: null });
  const tested = await miners<MinerTest>('test', 'Arcade here');
  expect(tested).toMatchObject({ value: { passed: true, kind: 'arcade' } });
});
