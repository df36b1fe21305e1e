import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeTestHost, newDataDir, openTestHost, type TestHost, until } from '../test-support/hosts/open-host.ts';
import { publicSourcesAt } from '../test-support/public-sources-at.ts';

const UNCONFIRMED = 'Nobody who knows the chain has confirmed it since';

let network: TestHost;
let installation: TestHost;
const dataDir = newDataDir();

beforeAll(async () => {
  network = await openTestHost({
    dataDir: newDataDir(),
    overrides: { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' },
  });
  await open();
  const { client } = installation;
  for (const { id } of await client.miners.list()) await client.miners.update({ id, enabled: false });
  const url = `${network.host.info().endpoints.sandbox}/arc/v1`;
  await client.miners.add({ name: 'ARC', kind: 'arc', url, apiKey: network.host.sandboxApiKey() as string });
});
afterAll(async () => {
  await closeTestHost(installation);
  await closeTestHost(network);
});

/** An installation that asks the public services of the other one's sandbox. */
async function open(): Promise<void> {
  const sandbox = network.host.info().endpoints.sandbox as string;
  const publicSources = publicSourcesAt(sandbox, ['whatsonchain', 'bananablocks']);
  installation = await openTestHost({ dataDir, overrides: { chainData: 'public', publicSources } });
}

interface Prepared {
  readonly id: string;
  readonly digest: string;
  readonly fee: number;
  /** The sentences of its review. */
  readonly told: string;
}

/** A payment to the other installation. */
async function prepared(satoshis: number, { cancels = false } = {}): Promise<Prepared> {
  const { client } = installation;
  const { address } = await network.client.wallet.status();
  const request = { to: [{ address: address as string, satoshis }], label: '' };
  const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
  if (cancels) await client.wallet.send.cancel({ id });
  const { digest, fee, checks } = review;
  return { id, digest, fee, told: checks.map(({ text }) => text).join(' ') };
}

async function pay(satoshis: number): Promise<Prepared> {
  const payment = await prepared(satoshis);
  await installation.client.wallet.send.approve({ id: payment.id, digest: payment.digest });
  return payment;
}

const waiting = (count: number) =>
  until(async () => (await network.client.sandbox.status()).mempool.transactions === count);

describe('while no public service answers', () => {
  it('coins that the wallet knows are paid with, which is said, before and after a start; then everything goes on', async () => {
    const { address } = await installation.client.wallet.addresses.next({ label: '' });
    await network.client.sandbox.fund({ address, satoshis: 120_000 });
    await network.client.sandbox.mine({ blocks: 1 });
    await until(async () => (await installation.client.wallet.status()).balance.confirmed === 120_000);
    const { height } = (await network.client.sandbox.status()).tip;

    for (const area of ['woc', 'bananablocks'] as const)
      await network.client.sandbox.faults.set({ name: 'http-error', value: 503, times: null, area });
    // the wallet looks a moment later
    await until(async () => (await prepared(50_000, { cancels: true })).told.includes(UNCONFIRMED));
    const first = await pay(50_000);
    expect(first.told).toContain(`what this wallet knows up to block ${height}. ${UNCONFIRMED}`);
    await waiting(1);

    // its change is spent on, without anybody who could tell that it arrived
    await closeTestHost(installation, { keepData: true });
    await open();
    const second = await pay(10_000);
    expect(second.told).toContain(UNCONFIRMED);
    await waiting(2);
    for (const { id } of [first, second])
      expect(await installation.client.wallet.send.get({ id })).toMatchObject({ state: 'submitted', failure: null });

    await network.client.sandbox.mine({ blocks: 1 });
    await network.client.sandbox.faults.clear({});
    for (const { id } of [first, second])
      await until(async () => (await installation.client.wallet.send.get({ id })).state === 'mined');
    const left = 120_000 - 50_000 - 10_000 - first.fee - second.fee;
    await until(async () => (await installation.client.wallet.status()).balance.confirmed === left);
    await until(async () => !(await prepared(1_000, { cancels: true })).told.includes(UNCONFIRMED));
  });
});
