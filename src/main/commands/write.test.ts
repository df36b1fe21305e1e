import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHere } from '../test-support/hosts/start-here.ts';
import { until } from '../test-support/hosts/until.ts';
import type { Client } from './shared/run.ts';
import { writeDocument } from './write.ts';

let folder: string;
let host: Awaited<ReturnType<typeof startHere>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-write-cli-'));
  const set = { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' };
  host = await startHere({ dataDir: join(folder, 'data'), set });
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The running host, whose answer to a write comes at once and not after a minute. */
function impatient(): Client {
  const { writer } = host.client();
  const write: typeof writer.write = (input) => writer.write({ ...input, waitMs: 0 });
  return { writer: { documents: writer.documents, write } } as Client;
}

describe('planchet write', () => {
  it('goes on waiting for the block after the host has answered', async () => {
    const written = writeDocument(impatient(), '{"a":1}', { mode: 'raw', wait: 'mined' });
    const { client } = host;
    await until(async () => (await client().writer.documents.list({ state: 'seen' })).documents.length > 0);
    await client().sandbox.mine({ blocks: 1 });
    expect((await written).state).toMatch(/mined|proven/);
  });

  it('goes on waiting for the miner, and fails with the reason where the document is given up', async () => {
    const written = await writeDocument(impatient(), '{"a":2}', { mode: 'raw', wait: 'submitted' });
    expect(written.state).toMatch(/submitted|seen/);
    await host.client().settings.set({ key: 'maxFeeSatoshis', value: '1' });
    await expect(writeDocument(impatient(), '{"a":3}', { mode: 'raw', wait: 'mined' })).rejects.toMatchObject({
      id: 'writer.document-dead',
      message: expect.stringContaining('cap') as string,
    });
  });
});
