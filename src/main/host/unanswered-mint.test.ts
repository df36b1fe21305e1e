import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TokenJob } from '../../contract/index.ts';
import { openJoinedHost } from '../test-support/hosts/joined-host.ts';
import {
  addItem,
  closeTestHost,
  newDataDir,
  openTestHost,
  type TestHost,
  until,
} from '../test-support/hosts/open-host.ts';
import { pngOf } from '../test-support/png.ts';

const MONEY = 1_000_000;

let network: TestHost;
let here: TestHost;

beforeAll(async () => {
  network = await openTestHost({
    dataDir: newDataDir(),
    overrides: { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' },
  });
  here = await openJoinedHost(network);
  const { client } = here;
  await client.wallet.create({ words: 12 });
  const address = (await client.wallet.status()).address as string;
  await network.client.sandbox.fund({ address, satoshis: MONEY });
  await network.client.sandbox.mine({ blocks: 1 });
  await until(async () => (await client.wallet.status()).balance.confirmed === MONEY);
});
afterAll(async () => {
  await closeTestHost(here);
  await closeTestHost(network);
});

const waiting = (count: number) =>
  until(async () => (await network.client.sandbox.status()).mempool.transactions === count);

it('while only miners answer, tokens are minted and documents written, and all is proven once services answer again', async () => {
  const { client } = here;
  for (const area of ['woc', 'bananablocks', 'onesat', 'cdn'] as const)
    await network.client.sandbox.faults.set({ name: 'http-error', value: 503, times: null, area });
  const { uid } = await client.projects.create({ name: 'Alone', type: 'single' });
  const itemId = await addItem(client, uid, { name: 'alone.png', bytes: pngOf('alone') });
  const destination = (await client.wallet.status()).address as string;
  const { id } = await client.mint.create({ itemIds: [itemId], destination, idempotencyKey: randomUUID() });
  const review = await until(async () => {
    const job = await client.mint.get({ id });
    if (job.failure) throw new Error(job.failure.message);
    return (job.awaitingApproval && job.review) || undefined;
  });
  expect(review.checks.find((check) => check.id === 'unanswered')?.text).toContain('is what this wallet knows');
  await client.mint.approve({ id, digest: review.digest });
  await waiting(1);
  // The network has it a moment before the miner's answer is here; until then the wallet holds its coins, and has no change.
  await until(async () => (await client.wallet.status()).balance.unconfirmed > 0);

  const schema = { symbol: 'CAFE', name: 'Coffee voucher', satsPerToken: 10, totalSupply: 100 };
  const contract = async (isTold: boolean): Promise<TokenJob | undefined> => {
    const request = { action: 'contract' as const, schema };
    const prepared = await client.redeemableTokens.prepare({ request, idempotencyKey: randomUUID() });
    const told = prepared.review.checks.find((check) => check.id === 'unanswered');
    if ((told?.text.includes('is what this wallet knows up to block') ?? false) === isTold) return prepared;
    await client.redeemableTokens.cancel({ id: prepared.id });
    return undefined;
  };
  // the wallet looks a moment later
  const job = await until(() => contract(true));
  expect(job.review.ok).toBe(true);
  await client.redeemableTokens.approve({ id: job.id, digest: job.review.digest });
  await waiting(2);

  const { keyId } = await client.writer.keys.register({ apiKey: 'a-key-of-my-own' });
  const doc = await client.writer.write({ body: JSON.stringify({ n: 1 }), wait: 'submitted', waitMs: 15_000, keyId });
  // with the payment that sets money aside for documents
  await waiting(4);

  await network.client.sandbox.mine({ blocks: 1 });
  await network.client.sandbox.faults.clear({});
  await until(async () => (await client.mint.get({ id })).state === 'proven');
  await until(async () => (await client.redeemableTokens.get({ id: job.id })).state === 'mined');
  await until(async () => (await client.writer.documents.get({ id: doc.id })).state === 'proven');
  await until(() => contract(false));
});
