import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../commands/shared/run.ts';
import {
  closeTestHost,
  filledDataDir,
  mintProven,
  newDataDir,
  openTestHost,
  type TestHost,
  until,
  walletPaid,
} from '../test-support/hosts/open-host.ts';
import { pngOf } from '../test-support/png.ts';

const MAIN = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';
const PAYMAIL = 'artist@example.com';

let opened: TestHost;
/** Of a host whose project has one of its three items minted; each test has a copy. */
let prepared: string;
let projectUid: string;
/** An address of the sandbox. */
let receiver: string;

beforeAll(async () => {
  prepared = await filledDataDir();
  opened = await openTestHost({ dataDir: prepared });
  const { client, dataDir } = opened;
  await walletPaid(client);
  receiver = (await client.wallet.status()).address as string;
  const folder = join(dataDir, 'art');
  mkdirSync(folder);
  for (const n of [1, 2, 3]) writeFileSync(join(folder, `${n}.png`), pngOf(`${n}`));
  writeFileSync(join(folder, 'list.csv'), 'file,Title,Eyes\n1.png,One,green\n2.png,Two,blue\n3.png,Three,green\n');
  const { id } = await client.import.open({ paths: [folder], projectName: 'Rings', projectType: 'single' });
  const inPhase = (phase: string) => until(async () => (await client.import.status({ id })).phase === phase);
  await inPhase('ready');
  await client.import.mapping.set({ id, fields: [{ field: 'Title', target: 'name', trait: '' }], options: {} });
  await client.import.commit({ id });
  await inPhase('done');
  projectUid = (await client.import.status({ id })).projectUid as string;
  await client.import.discard({ id });
  const [first, second, third] = await client.items.list({ projectUid });
  const royalties = [
    { destination: receiver, percentage: '0.05' },
    { destination: PAYMAIL, percentage: '0.01' },
  ];
  for (const item of [first, second]) {
    await client.items.update({ id: item?.id as string, metadata: { ...item?.metadata, royalties } as never });
  }
  await client.items.reorder({
    projectUid,
    ids: [third, first, second].map((item) => item?.id as string),
    renumber: false,
  });
  await mintProven(client, first?.id as string, receiver);
  await closeTestHost(opened, { keepData: true });
});
afterAll(() => rmSync(prepared, { recursive: true, force: true }));

beforeEach(async () => {
  const dataDir = newDataDir();
  cpSync(prepared, dataDir, { recursive: true });
  opened = await openTestHost({ dataDir });
});
afterEach(async () => {
  await closeTestHost(opened);
  rmSync(opened.dataDir, { recursive: true, force: true });
});

const failed = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => failureOf(error),
  );

/** The host on another network, over the same folder. */
async function changeTo(network: 'main' | 'sandbox'): Promise<TestHost['client']> {
  await closeTestHost(opened, { keepData: true });
  opened = await openTestHost({ dataDir: opened.dataDir, overrides: { network } });
  return opened.client;
}

describe('a project taken to the main network', () => {
  it('has the same files, texts, traits, order, royalties and mapping, as drafts; the one here stays', async () => {
    const { client } = opened;
    const before = await client.items.list({ projectUid });
    const target = { projectUid, to: 'main' as const };
    const preview = await client.projectMoves.preview(target);
    expect(preview).toMatchObject({ name: 'Rings', type: 'single', items: 3, nameTaken: false, royalties: [receiver] });
    expect(existsSync(join(opened.dataDir, 'main', 'planchet.db'))).toBe(false);
    const made = await client.projectMoves.copy({ ...target, royalties: { [receiver]: MAIN } });
    expect(made).toEqual({ projectUid: expect.any(String), items: 3 });
    expect(await client.items.list({ projectUid })).toEqual(before);
    expect((await client.projectMoves.preview(target)).nameTaken).toBe(true);

    const there = await changeTo('main');
    expect(await there.projects.list()).toMatchObject([
      {
        uid: made.projectUid,
        name: 'Rings',
        type: 'single',
        network: 'main',
        service: null,
        direct: true,
        itemCount: 3,
      },
    ]);
    const items = await there.items.list({ projectUid: made.projectUid });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['Three', 'One', 'Two']);
    for (const [index, { file, metadata, state, jobId, outpoint }] of items.entries()) {
      const source = before[index];
      expect({ state, jobId, outpoint }).toEqual({ state: 'draft', jobId: null, outpoint: null });
      expect(file).toEqual(source?.file);
      const royalties = source?.metadata.royalties?.map((one) => {
        return one.destination === receiver ? { ...one, destination: MAIN } : one;
      });
      expect(metadata).toEqual({ ...source?.metadata, ...(royalties && { royalties }) });
      const bytes = Buffer.from(await (await there.files.read({ sha256: file.sha256 })).arrayBuffer());
      expect(bytes.equals(pngOf(source?.file.name.slice(0, 1) ?? ''))).toBe(true);
    }
    const plan = await there.runs.plan({ projectUid: made.projectUid, destination: MAIN });
    expect(plan).toMatchObject({ direct: true, tokens: 3 });
    // the mapping is known to the next import
    const { id } = await there.import.open({ paths: [join(opened.dataDir, 'art')], projectUid: made.projectUid });
    await until(async () => (await there.import.status({ id })).phase === 'ready');
    const { fields } = await there.import.mapping.get({ id });
    expect(fields.find(({ field }) => field === 'Title')).toMatchObject({ target: 'name' });
  });

  it('copies nothing while a receiver of royalties is open, or has no address there either', async () => {
    const { client } = opened;
    const target = { projectUid, to: 'main' as const };
    expect(await failed(client.projectMoves.copy(target))).toMatchObject({
      id: 'project-move.royalties-open',
      message: expect.stringContaining(receiver),
    });
    const same = client.projectMoves.copy({ ...target, royalties: { [receiver]: receiver } });
    expect(await failed(same)).toMatchObject({ id: 'mint.royalty-receiver' });
    expect((await client.projectMoves.preview(target)).nameTaken).toBe(false);
    const left = await client.projectMoves.copy({ ...target, royalties: { [receiver]: '' } });
    const there = await changeTo('main');
    const items = await there.items.list({ projectUid: left.projectUid });
    expect(items.map(({ metadata }) => metadata.royalties)).toEqual([
      undefined,
      [{ destination: PAYMAIL, percentage: '0.01' }],
      [{ destination: PAYMAIL, percentage: '0.01' }],
    ]);
  });

  it('is not copied to the network it is on, nor from one that nobody knows', async () => {
    const { client } = opened;
    expect(await failed(client.projectMoves.copy({ projectUid, to: 'sandbox' }))).toMatchObject({
      id: 'project-move.same-network',
    });
    expect(await failed(client.projectMoves.preview({ projectUid: 'nobody', to: 'main' }))).toMatchObject({
      code: 'not-found',
    });
    const { uid } = await client.projects.create({ name: 'Empty', type: 'single' });
    expect(await failed(client.projectMoves.copy({ projectUid: uid, to: 'main' }))).toMatchObject({
      id: 'run.nothing-to-mint',
    });
  });

  it('is shown with the miner of the sandbox that the network `private` joined', async () => {
    const { client, host } = opened;
    const joinUrl = host.info().endpoints.sandbox as string;
    await client.networks.save({ network: 'private', values: { joinUrl } });
    const { miners } = await client.projectMoves.preview({ projectUid, to: 'private' });
    expect(miners).toMatchObject([{ rate: { satoshis: expect.any(Number) }, transactions: 1, problems: [] }]);
  });

  it('is shown with what the miners there ask for all of it, and what they do not take', async () => {
    const { client, host } = opened;
    // the miner of the sandbox as one that asks for no key
    const headers = { authorization: `Bearer ${host.sandboxApiKey()}` };
    const server = createServer(async ({ url }, response) => {
      response.end(await (await fetch(`${host.info().endpoints.mapi}${url}`, { headers })).text());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const mapiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await client.networks.save({ network: 'main', values: { mapiUrl } });
    const [miner] = (await client.projectMoves.preview({ projectUid, to: 'main' })).miners;
    server.close();
    const plan = await client.runs.plan({ projectUid, destination: receiver });
    expect(miner).toMatchObject({ rate: plan.rate, transactions: 1, problems: [] });
    expect(miner?.total).toBeGreaterThan(plan.total);
    await client.networks.save({ network: 'main', values: { mapiUrl: 'http://127.0.0.1:1/mapi' } });
    const [silent] = (await client.projectMoves.preview({ projectUid, to: 'main' })).miners;
    expect(silent).toMatchObject({ rate: null, total: null, problems: [{ code: 'upstream-unreachable' }] });
  });
});
