import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startHost } from '../../../e2e/support/host.ts';
import { isRehearsalOver, type LiveEvent, type Rehearsal } from '../../contract/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { AlteringProxy } from '../test-support/altering-proxy.ts';
import {
  addItem,
  closeTestHost,
  filledDataDir,
  newDataDir,
  openTestHost,
  type TestHost,
  until,
  walletFilled,
  walletPaid,
} from '../test-support/hosts/open-host.ts';

let opened: TestHost | undefined;
afterEach(async () => {
  if (opened) await closeTestHost(opened);
  opened = undefined;
});

async function start(options: Partial<Parameters<typeof openTestHost>[0]> = {}): Promise<TestHost> {
  opened = await openTestHost({ dataDir: await filledDataDir(), scope: 'core', ...options });
  return opened;
}

/** A collection of drafts: the collection token and so many items. */
async function collection({ client }: TestHost, items: number, name = 'Moons'): Promise<string> {
  const { uid } = await client.projects.create({ name, type: 'collection' });
  for (let n = 0; n <= items; n++) {
    await addItem(client, uid, { name: `moon-${n}.txt`, bytes: Buffer.from(`${name} ${n}`) });
  }
  return uid;
}

const ended = ({ client }: TestHost, id: string): Promise<Rehearsal> =>
  until(async () => {
    const rehearsal = await client.rehearsals.get({ id });
    return isRehearsalOver(rehearsal) && rehearsal;
  });

const folderOf = ({ dataDir }: TestHost): string => join(dataDir, 'rehearsals');
const rehearsalFolders = (host: TestHost): string[] => (existsSync(folderOf(host)) ? readdirSync(folderOf(host)) : []);

/** What a rehearsal must leave as it was. */
async function stateOf({ client }: TestHost, projectUid: string) {
  const { balance } = await client.wallet.status();
  return {
    spendable: balance.spendable,
    reserved: balance.reserved,
    history: (await client.wallet.history.list({ limit: 100 })).entries.map(({ txid }) => txid),
    items: (await client.items.list({ projectUid })).map(({ id, state, jobId, outpoint }) => [
      id,
      state,
      jobId,
      outpoint,
    ]),
    ledger: (await client.tokens.ledger({ projectUid, offset: 0, limit: 100 })).rows.map(({ outpoint }) => outpoint),
    runs: (await client.runs.list({ limit: 10 })).runs.length,
    jobs: (await client.mint.list({})).jobs.length,
    outputs: (await client.quota.get())?.totalUsed,
  };
}

describe('a rehearsal', () => {
  it('mints a project on a network of its own and leaves the active one, its wallet and its ledger as they were', async () => {
    const host = await start();
    await walletFilled(host.client);
    const projectUid = await collection(host, 3);
    const before = await stateOf(host, projectUid);
    const tip = (await host.client.node.call({ method: 'getbestblockhash', params: [] })).result;

    const started = await host.client.rehearsals.start({ projectUid });
    expect(started).toMatchObject({ projectUid, projectName: 'Moons', state: 'preparing', items: 4 });
    const done = await ended(host, started.id);
    expect(done).toMatchObject({ state: 'done', failure: null, copied: 4, run: { minted: 4, failed: 0, projectUid } });
    const { items, next } = await host.client.rehearsals.items({ id: done.id, limit: 10 });
    expect(next).toBeNull();
    expect(items.map(({ state }) => state)).toEqual(['proven', 'proven', 'proven', 'proven']);

    expect(await stateOf(host, projectUid)).toEqual(before);
    expect((await host.client.node.call({ method: 'getbestblockhash', params: [] })).result).toBe(tip);
    for (const { outpoint } of items) {
      const txid = (outpoint as string).split('_')[0] as string;
      expect(await host.client.transactions.get({ txid }).catch((error) => failureOf(error).code)).toBe('not-found');
    }
    expect(rehearsalFolders(host)).toEqual([]);
    expect((await host.client.rehearsals.list()).map(({ id }) => id)).toEqual([done.id]);

    await closeTestHost(host, { keepData: true });
    const again = await start({ dataDir: host.dataDir });
    expect(await again.client.rehearsals.list()).toEqual([done]);
    expect(await again.client.rehearsals.items({ id: done.id, limit: 10 })).toEqual({ items, next });
  });

  it('tells the exact cost, size and time, and takes the same plan to the active network under an approval of its own', async () => {
    const host = await start();
    const { client } = host;
    await walletPaid(client);
    const projectUid = await collection(host, 2);
    const { id } = await client.rehearsals.start({ projectUid });
    const rehearsed = await ended(host, id);
    expect(rehearsed.milliseconds).toBeGreaterThan(0);

    const destination = (await client.wallet.status()).address as string;
    const run = await client.rehearsals.mint({ id, destination, idempotencyKey: randomUUID() });
    expect(run).toMatchObject({ state: 'planned', canApprove: true, minted: 0, projectUid });
    const { plan } = await client.runs.get({ id: run.id });
    expect(plan.contentDigest).toBe(rehearsed.plan?.contentDigest);
    expect(plan.transactions).toEqual(rehearsed.plan?.transactions);
    await client.runs.approve({ id: run.id, digest: run.digest });
    const minted = await until(async () => {
      const now = (await client.runs.get({ id: run.id })).run;
      return now.state === 'done' && now;
    });
    expect(minted.fee).toBe(rehearsed.fee);
    const items = await client.items.list({ projectUid });
    const sizes = await Promise.all(
      [
        minted.splitTxid as string,
        ...new Set(items.map(({ outpoint }) => (outpoint as string).split('_')[0] as string)),
      ].map(async (txid) => (await client.transactions.get({ txid })).size),
    );
    // A signature may be a byte or two shorter each time.
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(Math.abs(bytes - (rehearsed.bytes as number))).toBeLessThanOrEqual(2 * sizes.length);
  });

  it('of items whose collection token is minted already counts the items alone', { tags: 'long' }, async () => {
    const host = await start();
    const { client } = host;
    await walletPaid(client);
    const projectUid = await collection(host, 0);
    const destination = (await client.wallet.status()).address as string;
    const first = await client.runs.create({ projectUid, destination, idempotencyKey: randomUUID() });
    await client.runs.approve({ id: first.id, digest: first.digest });
    await until(async () => (await client.runs.get({ id: first.id })).run.state === 'done');
    for (const n of [1, 2])
      await addItem(client, projectUid, { name: `late-${n}.txt`, bytes: Buffer.from(`late ${n}`) });

    const { id } = await client.rehearsals.start({ projectUid });
    const rehearsed = await ended(host, id);
    expect(rehearsed).toMatchObject({ state: 'done', items: 2, run: { items: 2, minted: 2 } });
    const { items } = await client.rehearsals.items({ id, limit: 10 });
    expect(items.map(({ name }) => name)).toEqual(['late-1.txt', 'late-2.txt']);
    const run = await client.rehearsals.mint({ id, destination, idempotencyKey: randomUUID() });
    expect((await client.runs.get({ id: run.id })).plan.contentDigest).toBe(rehearsed.plan?.contentDigest);
  });

  it('does not take a project to the network that has changed since', { tags: 'long' }, async () => {
    const host = await start();
    const { client } = host;
    await walletPaid(client);
    const projectUid = await collection(host, 1);
    const { id } = await client.rehearsals.start({ projectUid });
    await ended(host, id);
    await addItem(client, projectUid, { name: 'late.txt', bytes: Buffer.from('late') });
    const destination = (await client.wallet.status()).address as string;
    const refused = client.rehearsals.mint({ id, destination, idempotencyKey: randomUUID() });
    await expect(refused).rejects.toThrow(/not the ones that were rehearsed/);
    expect((await client.runs.list({ limit: 10 })).runs).toEqual([]);
  });

  it('cancelled, ends at once and removes its network', async () => {
    const host = await start();
    const projectUid = await collection(host, 2);
    const events = host.host.context.events.subscribe(() => host.host.context.app.snapshot());
    const { id } = await host.client.rehearsals.start({ projectUid });
    for await (const event of events as AsyncIterable<LiveEvent>) {
      if (event.type === 'rehearsal' && event.rehearsal.state === 'minting') break;
    }
    expect(rehearsalFolders(host)).toEqual([id]);
    expect(await host.client.rehearsals.cancel({ id })).toMatchObject({ state: 'cancelled', failure: null });
    expect(rehearsalFolders(host)).toEqual([]);
    const again = await host.client.rehearsals.cancel({ id }).catch((error) => failureOf(error).code);
    expect(again).toBe('conflict');
    const mint = host.client.rehearsals.mint({ id, destination: 'any', idempotencyKey: randomUUID() });
    await expect(mint).rejects.toThrow(/did not mint every token/);
  });

  it('is the same one for the same project, and one at a time', async () => {
    const host = await start();
    const moons = await collection(host, 1);
    const rings = await collection(host, 1, 'Rings');
    const [first, second] = await Promise.all([
      host.client.rehearsals.start({ projectUid: moons }),
      host.client.rehearsals.start({ projectUid: moons }),
    ]);
    expect(second.id).toBe(first.id);
    await expect(host.client.rehearsals.start({ projectUid: rings })).rejects.toThrow(/“Moons” is being rehearsed/);
    await host.client.rehearsals.cancel({ id: first.id });
  });

  it('on another network sends nothing to its services but what the application asks them anyway', {
    tags: 'long',
  }, async () => {
    const services = await start();
    const { baseUrl, mapi } = services.host.info().endpoints;
    const proxy = await AlteringProxy.open(new URL(baseUrl as string).origin);
    const on = (address: string | null): string => proxy.url + new URL(address as string).pathname;
    const dataDir = newDataDir();
    const host = await openTestHost({
      dataDir,
      scope: 'core',
      passphrase: async () => 'a passphrase',
      overrides: { network: 'test', baseUrl: on(baseUrl), mapiUrl: on(mapi) },
    });
    try {
      await host.client.settings.set({ key: 'apiKey', value: services.host.sandboxApiKey() });
      const projectUid = await collection(host, 2);
      expect(proxy.calls.some(({ method, path }) => method === 'POST' && path.endsWith('/project/create'))).toBe(true);
      proxy.calls.length = 0;
      const { id } = await host.client.rehearsals.start({ projectUid });
      const done = await ended(host, id);
      expect(done).toMatchObject({ state: 'done', run: { minted: 3 } });
      expect(proxy.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
      expect((await host.client.items.list({ projectUid })).map(({ state }) => state)).toEqual([
        'draft',
        'draft',
        'draft',
      ]);
      expect(await host.client.wallet.status()).toMatchObject({ network: 'test', state: 'missing' });
    } finally {
      await closeTestHost(host);
      await proxy.close();
    }
  });

  it('that a crash left behind is removed at the next start', async () => {
    const dataDir = await filledDataDir();
    mkdirSync(join(dataDir, 'rehearsals', 'left', 'sandbox'), { recursive: true });
    writeFileSync(join(dataDir, 'rehearsals', 'left', 'planchet.lock'), '{}');
    const host = await start({ dataDir });
    expect(existsSync(folderOf(host))).toBe(false);
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('whose application is killed leaves nothing once that runs again', { tags: 'long' }, async () => {
    const dataDir = await filledDataDir();
    const killed = await startHost({ dataDir });
    const { projects, items, files, rehearsals } = killed.client();
    const { uid: projectUid } = await projects.create({ name: 'Moons', type: 'single' });
    const { uploadId } = await files.begin({ name: 'moon.txt', bytes: 4, contentType: '' });
    await files.append({ uploadId, offset: 0, piece: new Blob(['moon']) });
    const { sha256 } = await files.finish({ uploadId });
    const metadata = { name: 'Moon', description: '', traits: [] };
    await items.create({ projectUid, sha256, fileName: 'moon.txt', metadata });
    const { id } = await rehearsals.start({ projectUid });
    await until(async () => existsSync(join(dataDir, 'rehearsals', id)));
    const exited = new Promise((resolve) => killed.process.once('exit', resolve));
    killed.process.kill('SIGKILL');
    await exited;

    const again = await startHost({ dataDir });
    expect(existsSync(join(dataDir, 'rehearsals'))).toBe(false);
    expect(await again.client().rehearsals.list()).toEqual([]);
    expect((await again.client().items.list({ projectUid })).map(({ state }) => state)).toEqual(['draft']);
    await again.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('ends with the application', async () => {
    const host = await start();
    const projectUid = await collection(host, 1);
    await host.client.rehearsals.start({ projectUid });
    await closeTestHost(host, { keepData: true });
    opened = undefined;
    expect(rehearsalFolders(host)).toEqual([]);
    rmSync(host.dataDir, { recursive: true, force: true });
  });
});
