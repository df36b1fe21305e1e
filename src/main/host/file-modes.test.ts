import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { addItem, newDataDir, walletPaid } from '../test-support/hosts/open-host.ts';

const { open } = oneHost();

it.skipIf(process.platform === 'win32')('keeps every file and folder of its data to their owner', async () => {
  const dataDir = newDataDir();
  const { client } = await open({ dataDir });
  await walletPaid(client);
  const { uid } = await client.projects.create({ name: 'Moon', type: 'single' });
  await addItem(client, uid, { name: 'moon.txt', bytes: Buffer.from('moon'.repeat(10_000)) });
  await client.sandbox.snapshots.take({ name: 'before' });
  const file = join(dataDir, 'network.db');
  await client.sandbox.export({ file });

  const readable = readdirSync(dataDir, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const mode = statSync(path).mode & 0o777;
    return mode === (entry.isDirectory() ? 0o700 : 0o600) ? [] : [`${relative(dataDir, path)} ${mode.toString(8)}`];
  });
  expect(readable).toEqual([]);
  expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(['network.db', 'sandbox']));
});
