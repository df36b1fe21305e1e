import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { failureOf } from './commands/run.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost, until } from './test-support/open-host.ts';

let opened: TestHost | undefined;
afterEach(async () => {
  if (opened) await closeTestHost(opened);
  opened = undefined;
});

it('goes back to a snapshot and on to a new network, and the wallet follows', async () => {
  opened = await openTestHost({ dataDir: newDataDir() });
  const { client, dataDir } = opened;
  const balance = async (): Promise<number> => (await client.wallet.status()).balance.confirmed;
  await until(async () => (await balance()) > 0);
  const before = await balance();
  const { address } = await client.wallet.status();
  await client.sandbox.snapshots.take({ name: 'start' });
  await client.sandbox.fund({ address: address as string, satoshis: 12_345 });
  await client.sandbox.mine({ blocks: 1 });
  await until(async () => (await balance()) === before + 12_345);

  await client.sandbox.snapshots.revert({ name: 'start' });
  await until(async () => (await balance()) === before);
  const { tip, snapshots } = await client.sandbox.status();
  expect(tip.height).toBe(120);
  expect(snapshots).toHaveLength(1);

  await client.sandbox.faults.set({ name: 'latency', value: 1 });
  expect((await client.sandbox.status()).faults).toHaveLength(1);
  const file = join(dataDir, 'network.planchet');
  expect((await client.sandbox.export({ file })).bytes).toBeGreaterThan(10_000);
  await client.sandbox.reset({ seed: 'rehearsal' });
  await until(async () => (await client.sandbox.status()).tip.hash !== tip.hash);
  await until(async () => (await balance()) === before);
  await client.sandbox.import({ file });
  expect((await client.sandbox.status()).tip.hash).toBe(tip.hash);
  await until(async () => (await balance()) === before);
  const relative = await client.sandbox.export({ file: 'here' }).catch(failureOf);
  expect(relative).toMatchObject({ code: 'invalid-input' });

  // nothing of the sandbox's credentials reached the logs on the way
  const logs = readdirSync(join(dataDir, 'logs')).map((name) => readFileSync(join(dataDir, 'logs', name), 'utf8'));
  expect(logs.join('')).not.toContain(opened.host.sandboxApiKey());
}, 60_000);
