import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { runningClient } from './with-client.ts';

const versions = Object.getOwnPropertyDescriptor(process, 'versions') as PropertyDescriptor;
afterEach(() => {
  Object.defineProperty(process, 'versions', versions);
});

it('a command says what to run it with on a Node that is too old', async () => {
  const nowhere = { dataDir: join(tmpdir(), 'planchet-nowhere'), set: {}, json: false, safeMode: false };
  expect(await runningClient(nowhere)).toBeUndefined();
  Object.defineProperty(process, 'versions', { ...versions, value: { ...process.versions, node: '20.20.2' } });
  await expect(runningClient(nowhere)).rejects.toMatchObject({
    id: 'cli.node-too-old',
    message: expect.stringContaining('20.20.2') as string,
    hint: expect.stringContaining('Node 24') as string,
  });
});
