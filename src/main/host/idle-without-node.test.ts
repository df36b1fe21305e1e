import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { HandClock } from '../gateway/test-support/hand-clock.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost } from '../test-support/hosts/open-host.ts';
import { publicSourcesAt } from '../test-support/public-sources-at.ts';

const SECOND_MS = 1_000;
const WAIT = { timeout: 60_000, interval: 2 };
/** Blocks of ten minutes each, six in the long run; and of ten minutes without any answer. */
const [BLOCKS, SILENT] = process.env.PLANCHET_LONG === undefined ? [2, 1] : [6, 3];
interface Request {
  readonly origin: string;
  readonly path: string;
}

let network: TestHost;
let services: string;
let clock: HandClock;
let opened: TestHost;
/** Paths of the requests to public services, and those of them that are not answered. */
const asked: string[] = [];
const open = new Set<Request>();

const begins = (message: unknown): void => {
  const { request } = message as { request: Request };
  // the other installation asks the node of its sandbox there as well
  if (request.origin !== services || !/^\/(woc|bananablocks)\//.test(request.path)) return;
  asked.push(request.path);
  open.add(request);
};
const ends = (message: unknown): void => void open.delete((message as { request: Request }).request);

beforeAll(async () => {
  subscribe('undici:request:create', begins);
  subscribe('undici:request:trailers', ends);
  subscribe('undici:request:error', ends);
  network = await openTestHost({
    dataDir: newDataDir(),
    overrides: { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' },
  });
  services = network.host.info().endpoints.sandbox as string;
  clock = new HandClock();
  clock.time = Date.now();
  // a stream of news would be lost whenever the clock goes on without it
  const publicSources = publicSourcesAt(services, ['whatsonchain', 'bananablocks']);
  opened = await openTestHost({
    dataDir: newDataDir(),
    clock,
    overrides: { network: 'test', chainData: 'public', publicSources },
    passphrase: async () => 'one long passphrase',
  });
  await opened.client.wallet.create({ words: 12 });
  await pass(200);
});
afterAll(async () => {
  await closeTestHost(opened);
  await closeTestHost(network);
  for (const [channel, listener] of [
    ['create', begins],
    ['trailers', ends],
    ['error', ends],
  ] as const)
    unsubscribe(`undici:request:${channel}`, listener);
});

/** Resolves when all requests are answered, and no answer led to another one. */
async function quiet(): Promise<void> {
  for (let calm = 0; calm < 3; calm += 1) {
    // what the last answer led to begins meanwhile
    await opened.client.headers.status();
    if (open.size > 0) calm = -1;
    if (open.size > 0) await vi.waitFor(() => expect(open.size).toBe(0), WAIT);
  }
}

async function pass(seconds: number): Promise<string[]> {
  const before = asked.length;
  for (let left = seconds; left > 0; left -= 10) {
    await clock.pass(10 * SECOND_MS);
    await quiet();
  }
  return asked.slice(before);
}

/** Whether the wallet has looked at the newest block of the network. */
async function isUpToDate(): Promise<boolean> {
  const { height } = (await network.client.sandbox.status()).tip;
  return (await opened.client.wallet.accounts.list())[0]?.height === height;
}

const lookups = (paths: readonly string[], prefix: string): number =>
  paths.filter((path) => path === `${prefix}/addresses/history/all`).length;

describe('an installation without a node that follows a hundred addresses', () => {
  it('asks public services twice a minute at most while nothing is awaited', async () => {
    const paths: string[] = [];
    for (let block = 0; block < BLOCKS; block++) {
      await network.client.sandbox.mine({ blocks: 1 });
      paths.push(...(await pass(600)));
      expect(await isUpToDate()).toBe(true);
    }
    expect(paths.length).toBeLessThanOrEqual(BLOCKS * 20);
    // all addresses with each block, twenty at a time; of the other operator one after the other
    expect(lookups(paths, '/woc/v1/bsv/test')).toBeGreaterThanOrEqual(BLOCKS * 6);
    const others = lookups(paths, '/bananablocks/api/v1/bsv/main');
    expect(others).toBeGreaterThan(0);
    expect(others).toBeLessThanOrEqual(BLOCKS);
  });

  it('asks every few seconds for ten minutes where somebody looks at an address', { tags: 'long' }, async () => {
    await opened.client.wallet.addresses.list();
    expect(lookups(await pass(60), '/woc/v1/bsv/test')).toBeGreaterThanOrEqual(30);
    await pass(600);
    expect((await pass(600)).length).toBeLessThanOrEqual(20);
  });

  it('sees a payment within ten seconds while one is expected, and says who tells of it', async () => {
    const { client } = opened;
    const [{ address } = { address: '' }] = await client.wallet.addresses.list();
    await pass(10);
    const found = async (satoshis: number) =>
      (await client.wallet.history.list({})).entries.find(({ amount }) => amount === satoshis);
    /** Its scripts are checked in a thread, while the clock stands still. */
    const arrived = async (satoshis: number) => {
      await network.client.sandbox.fund({ address, satoshis });
      await pass(10);
      return vi.waitFor(async () => (await found(satoshis)) ?? Promise.reject(new Error('not seen')), WAIT);
    };
    expect(await arrived(70_001)).toMatchObject({ height: null, toldBy: ['TAAL', 'GorillaPool'] });
    // one of the two is away
    const area = 'bananablocks';
    await network.client.sandbox.faults.set({ name: 'http-error', value: 503, times: null, area });
    expect(await arrived(70_002)).toMatchObject({ height: null, toldBy: ['TAAL'] });
    await network.client.sandbox.faults.clear({});
    await pass(20);
    await expect.poll(async () => (await found(70_002))?.toldBy, WAIT).toEqual(['TAAL', 'GorillaPool']);
    await network.client.sandbox.mine({ blocks: 1 });
    for (let minutes = 0; minutes < 20 && (await found(70_001))?.height === null; minutes++) await pass(60);
    await expect.poll(async () => (await found(70_001))?.height, WAIT).not.toBeNull();
    expect((await found(70_001))?.toldBy).toBeUndefined();
  });

  it('asks ever more seldom while nobody answers', { tags: 'long' }, async () => {
    await closeTestHost(network, { keepData: true });
    await pass(1_200);
    expect((await pass(SILENT * 600)).length).toBeLessThanOrEqual(SILENT * 20);
  });
});
