import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCommand } from '../test-support/hosts/call-command.ts';
import { startHere } from '../test-support/hosts/start-here.ts';
import { until } from '../test-support/hosts/until.ts';
import type { Client } from './shared/run.ts';
import { registerKey, writeDocument } from './write.ts';

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

/** The most that the setting takes: more than this disk has. */
const MOST_ASKED = 1_000_000_000_000;
const { bavail, bsize } = statfsSync(tmpdir());
const freeBytes = bavail * bsize;

const silent = { note: () => {} };
const planchet = (...args: string[]) => callCommand(['--data-dir', join(folder, 'data'), ...args]);

describe('planchet write', () => {
  it('goes on waiting for the block after the host has answered', async () => {
    const written = writeDocument(impatient(), '{"a":1}', { mode: 'raw', wait: 'mined' }, silent);
    const { client } = host;
    await until(async () => (await client().writer.documents.list({ state: 'seen' })).documents.length > 0);
    await client().sandbox.mine({ blocks: 1 });
    expect((await written).state).toMatch(/mined|proven/);
  });

  it('goes on waiting for the miner, and fails with the reason where the document is given up', async () => {
    const written = await writeDocument(impatient(), '{"a":2}', { mode: 'raw', wait: 'submitted' }, silent);
    expect(written.state).toMatch(/submitted|seen/);
    await host.client().settings.set({ key: 'maxFeeSatoshis', value: '1' });
    await expect(writeDocument(impatient(), '{"a":3}', { mode: 'raw', wait: 'mined' }, silent)).rejects.toMatchObject({
      id: 'writer.document-dead',
      message: expect.stringContaining('cap') as string,
    });
    await host.client().settings.reset({ keys: ['maxFeeSatoshis'] });
  });

  it.skipIf(freeBytes >= MOST_ASKED)('says of a full disk that it is full, and blames no document', async () => {
    const { settings } = host.client();
    await settings.set({ key: 'writerMinFreeDisk', value: String(MOST_ASKED) });
    const { code, err } = await planchet('write', '{"a":5}', '--json');
    await settings.reset({ keys: ['writerMinFreeDisk'] });
    expect([code, JSON.parse(err)]).toMatchObject([
      1,
      { error: { message: expect.stringContaining('disk') as string } },
    ]);
    expect(JSON.parse(err)).not.toMatchObject({ error: { code: 'invalid-input' } });
  });

  it('ends at its timeout with what it waits for, and keeps the document', { tags: 'long' }, async () => {
    const { client } = host;
    const { code, out, err } = await planchet('write', '{"a":4}', '--wait', 'mined', '--timeout', '100ms');
    expect([code, out]).toEqual([1, '']);
    const id = /^The document ([0-9a-f]{32}) did not come as far as asked within 0.1 s\./.exec(err)?.[1] as string;
    await until(async () => (await client().writer.documents.get({ id })).state === 'seen');
    await client().sandbox.mine({ blocks: 1 });
    await until(async () => /mined|proven/.test((await client().writer.documents.get({ id })).state));
  });

  it('says that neither node nor miner answers while it waits for one, and goes on once one does', async () => {
    const { client } = host;
    await client().sandbox.faults.set({ name: 'http-error', value: 503, area: 'all' });
    const refused = await planchet('write', '{"a":5}', '--timeout', '2s', '--json');
    expect(refused.code).toBe(1);
    const { error } = JSON.parse(refused.err) as { error: { code: string; message: string } };
    expect(error).toMatchObject({ code: 'timeout', message: expect.stringMatching(/503/) as string });
    await client().sandbox.faults.clear({});
    const id = /document ([0-9a-f]{32})/.exec(error.message)?.[1] as string;
    await until(async () => /submitted|seen/.test((await client().writer.documents.get({ id })).state));
  });

  it('says that it waits for money where the wallet has none', { tags: 'long' }, async () => {
    const { client } = host;
    await client().settings.set({ key: 'writerDailySpend', value: '1' });
    const { code, err } = await planchet('write', '{"a":6}', '--timeout', '2s');
    expect(code).toBe(1);
    expect(err).toMatch(/within 2 s\. .*spend/i);
    await client().settings.reset({ keys: ['writerDailySpend'] });
  });
});

it("a key that is registered for writing stays the writer's own, and is no API key of the network", async () => {
  const calls: unknown[] = [];
  const called = (name: string, answer: unknown) => async (input: unknown) => {
    calls.push([name, input]);
    return answer;
  };
  const client = {
    writer: { keys: { register: called('register', { keyId: 'k' }) } },
    settings: { list: called('list', []), set: called('set', undefined) },
    app: { info: called('info', { network: 'main' }) },
  } as unknown as Client;
  await expect(registerKey(client, 'secret key')).resolves.toEqual({ keyId: 'k' });
  expect(calls).toEqual([['register', { apiKey: 'secret key' }]]);
});
