import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Reorganisation } from '../../contract/index.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { addItem, mintProven, type TestClient, until, walletPaid } from '../test-support/hosts/open-host.ts';

const { open } = oneHost();

/** Collects what is told of reorganisations. */
async function listen(client: TestClient): Promise<{ told: Reorganisation[]; stop(): void }> {
  const told: Reorganisation[] = [];
  const ending = new AbortController();
  const events = await client.events.subscribe(undefined, { signal: ending.signal });
  const first = await events[Symbol.asyncIterator]().next();
  expect(first.value).toMatchObject({ type: 'snapshot' });
  void (async () => {
    for await (const event of events) if (event.type === 'reorganisation') told.push(event.reorganisation);
  })().catch(() => undefined);
  return { told, stop: () => ending.abort() };
}

async function mintOne(client: TestClient, name: string): Promise<string> {
  const project = await client.projects.create({ name: 'Suns', type: 'single' });
  const itemId = await addItem(client, project.uid, {
    name,
    bytes: Buffer.from(`sun ${randomBytes(4).toString('hex')}`),
  });
  const { address } = await client.wallet.status();
  return (await mintProven(client, itemId, address as string)).txid;
}

/** Only what was known to be in the chain can be seen to leave it. */
async function headersFollowed(client: TestClient): Promise<void> {
  await until(async () => (await client.headers.status()).tip?.hash === (await client.sandbox.status()).tip.hash);
}

it('the host tells once what a reorganisation replaced and what became of the transactions in it', {
  tags: 'long',
}, async () => {
  const { client } = await open();
  await walletPaid(client);
  const txid = await mintOne(client, 'Sun 3.txt');
  const { told, stop } = await listen(client);
  await headersFollowed(client);

  await client.sandbox.reorg({ depth: 3 });
  const [first] = await until(async () => told.length > 0 && told);
  const { height } = (await client.sandbox.status()).tip;
  expect(first).toMatchObject({ blocks: 3, total: 1 });
  expect(first?.height).toBeLessThanOrEqual(height);
  const [affected] = first?.affected ?? [];
  expect(affected).toMatchObject({ txid, origin: 'mint', tokens: [expect.stringMatching(/^Sun 3/)] });
  // The sandbox may have mined it again by the time it is told.
  expect(['waiting', 'mined']).toContain(affected?.outcome);
  expect(affected?.height === null).toBe(affected?.outcome === 'waiting');

  // Nothing of the person's was in the newest block.
  await until(async () => (await client.tx.get({ txid })).state === 'proven');
  await client.sandbox.mine({ blocks: 3 });
  await headersFollowed(client);
  await client.sandbox.reorg({ depth: 1 });
  const [, second] = await until(async () => told.length > 1 && told);
  expect(second).toMatchObject({ blocks: 1, affected: [], total: 0 });
  stop();
});
