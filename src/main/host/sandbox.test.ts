import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { MintJob, SandboxFault } from '../../contract/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { addItem, type TestClient, until, walletFilled, walletPaid } from '../test-support/hosts/open-host.ts';

const { open } = oneHost();

/** A mint of one text, up to where it waits for its approval. */
async function beginMint(client: TestClient, itemId: string): Promise<string> {
  const { address } = await client.wallet.status();
  const idempotencyKey = randomBytes(8).toString('hex');
  return (await client.mint.create({ itemIds: [itemId], destination: address as string, idempotencyKey })).id;
}

async function approve(client: TestClient, id: string): Promise<void> {
  const { review } = await until(async () => {
    const job = await client.mint.get({ id });
    return job.awaitingApproval && job;
  });
  await client.mint.approve({ id, digest: review?.digest as string });
}

function reached(client: TestClient, id: string, check: (job: MintJob) => boolean): Promise<MintJob> {
  return until(async () => {
    const job = await client.mint.get({ id });
    return check(job) && job;
  });
}

async function draft(client: TestClient): Promise<string> {
  const project = await client.projects.create({ name: 'Rehearsal', type: 'single' });
  return addItem(client, project.uid, {
    name: 'poem.txt',
    bytes: Buffer.from(`poem ${randomBytes(4).toString('hex')}`),
  });
}

it('the host tells that a mint was lost with the network it was on, and repeats it either way', {
  tags: 'long',
}, async () => {
  const { client } = await open();
  await walletPaid(client);
  const itemId = await draft(client);
  await client.sandbox.snapshots.take({ name: 'rehearsal' });
  const first = await beginMint(client, itemId);
  await approve(client, first);
  const { txid } = await reached(client, first, ({ state }) => state === 'proven');

  await client.sandbox.snapshots.revert({ name: 'rehearsal' });
  const lost = await reached(client, first, ({ failure }) => failure !== null);
  expect(lost).toMatchObject({ state: 'submitted', active: false, proof: null, blockHash: null });
  expect(lost.failure).toMatchObject({ code: 'not-found', message: expect.stringContaining('no longer has') });
  await client.mint.retry({ id: first });
  expect(await reached(client, first, ({ state }) => state === 'proven')).toMatchObject({ txid, failure: null });

  await client.sandbox.snapshots.revert({ name: 'rehearsal' });
  await reached(client, first, ({ failure }) => failure !== null);
  await client.mint.cancel({ id: first });
  expect(await client.items.list({ projectUid: lost.projectUid })).toMatchObject([{ state: 'draft', outpoint: null }]);
  const second = await beginMint(client, itemId);
  await approve(client, second);
  const again = await reached(client, second, ({ state }) => state === 'proven');
  // the wallet lets go of the lost token when it has asked the node for it
  const tokens = await until(async () => {
    const listed = (await client.tokens.list({})).tokens;
    return listed.length < 2 && listed;
  });
  expect(tokens).toMatchObject([{ outpoint: `${again.txid}_0`, itemId, state: 'proven' }]);
});

it('the host mints again what a reorganisation took out of its block', async () => {
  const { client } = await open();
  await walletPaid(client);
  const id = await beginMint(client, await draft(client));
  await approve(client, id);
  const before = await reached(client, id, ({ state }) => state === 'proven');
  await client.sandbox.reorg({ depth: 3 });
  await client.sandbox.mine({ blocks: 1 });
  const after = await reached(client, id, (job) => job.state === 'proven' && job.blockHash !== before.blockHash);
  expect(after).toMatchObject({ txid: before.txid, failure: null });
  expect(after.proof?.blockHash).toBe(after.blockHash);
});

it('a mint names what a service does wrong, signs none of it, and goes on once that ends', async () => {
  const { client } = await open();
  await walletPaid(client);
  const fault = (name: SandboxFault['name']) => client.sandbox.faults.set({ name });
  // Where one miner gives no quote, the next is asked.
  for (const { id, kind } of await client.miners.list())
    if (kind !== 'mapi') await client.miners.update({ id, enabled: false });

  const itemId = await draft(client);
  for (const [name, said] of [
    ['wrong-signature', /signature .* is wrong/],
    ['quote-expired', /fee quote that has already expired/],
  ] as const) {
    await fault(name);
    // it is asked again until it does right, and the coins stay where they are
    const waits = await beginMint(client, itemId);
    const waiting = await reached(client, waits, ({ failure }) => failure !== null);
    expect(waiting).toMatchObject({ txid: null, active: true, failure: { code: 'upstream-error' } });
    expect(waiting.failure?.message).toMatch(said);
    await client.mint.cancel({ id: waits });
    await client.sandbox.faults.clear({});
  }

  await fault('tampered-txobj');
  const id = await beginMint(client, itemId);
  const tampered = await reached(client, id, ({ failure }) => failure?.code === 'review-failed');
  expect(tampered).toMatchObject({ txid: null, active: false });
  expect(tampered.failure?.message).toMatch(/change/i);
  // what was not signed is not tracked either
  expect((await client.tx.list({ origins: ['mint'] })).transactions).toEqual([]);
  await client.sandbox.faults.clear({});
  await client.mint.retry({ id });
  await approve(client, id);
  await reached(client, id, ({ state }) => state === 'proven');
}, 180_000);

it('the sandbox goes back to a snapshot and on to a new network, and the wallet follows', async () => {
  const { host, client, dataDir } = await open();
  await walletFilled(client);
  const balance = async (): Promise<number> => (await client.wallet.status()).balance.confirmed;
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
  expect(logs.join('')).not.toContain(host.sandboxApiKey());
});

it('the sandbox never answers for the gateway with a tip that a caller of the controls has changed', async () => {
  const { host } = await open({ overrides: { 'sandbox.mineOnArrival': '' } });
  const { sandbox, rpc } = host.info().endpoints;
  const post = async (url: string, authorization: string, body: unknown): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', authorization };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  const admin = (path: string, body: unknown) =>
    post(`${sandbox}/admin${path}`, `Bearer ${host.sandboxApiKey()}`, body);
  const basic = `Basic ${Buffer.from(readFileSync(host.cookieFile, 'utf8').trim()).toString('base64')}`;
  const height = async (): Promise<unknown> =>
    (
      (await post(`${rpc}`, basic, { jsonrpc: '1.0', id: 1, method: 'getblockcount', params: [] })) as {
        result: unknown;
      }
    ).result;
  expect(await height()).toBe(120);
  await admin('/snapshots', { name: 'start' });
  for (let round = 1; round <= 5; round++) {
    await admin('/mine', { blocks: 2 });
    expect(await height()).toBe(122);
    await admin('/reorg', { depth: 2 });
    expect(await height()).toBe(123);
    await admin('/revert', { name: 'start' });
    expect(await height()).toBe(120);
  }
});
