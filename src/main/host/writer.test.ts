import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { newDataDir, type TestClient, until } from '../test-support/hosts/open-host.ts';

const { open, close } = oneHost();

const APART = { 'sandbox.mineOnArrival': '' };

function write(
  client: TestClient,
  body: string,
  wait: 'accepted' | 'submitted' | 'mined' = 'submitted',
  keyId?: string,
) {
  return client.writer.write({ body, wait, waitMs: 15_000, ...(keyId === undefined ? {} : { keyId }) });
}

const proven = (client: TestClient, id: string) =>
  until(async () => {
    const document = await client.writer.documents.get({ id });
    return document.state === 'proven' && document;
  });

/** The writer's own coins as its journal has them, `<txid>_<vout>`. */
function coinsOf(dataDir: string): string[] {
  const db = new Database(join(dataDir, 'sandbox', 'writer.db'), { readonly: true });
  try {
    const rows = db.prepare('select txid, vout from writer_coins').all() as { txid: string; vout: number }[];
    return rows.map(({ txid, vout }) => `${txid}_${vout}`).sort();
  } finally {
    db.close();
  }
}

it('the writer lets the sandbox pay for documents of a registered key, and survives what the sandbox does wrong', async () => {
  const { client } = await open({ overrides: { writerFunding: 'sandbox', ...APART } });
  const { apiKey } = await client.sandbox.createKey({});
  const { keyId } = await client.writer.keys.register({ apiKey });
  await expect(client.writer.keys.register({ apiKey })).rejects.toMatchObject({ data: { code: 'conflict' } });
  await expect(client.writer.keys.register({ apiKey: 'nobody-gave-me' })).rejects.toMatchObject({
    data: { code: 'unauthorized' },
  });
  const first = await write(client, '{"n":1}', 'submitted', keyId);
  expect(first).toMatchObject({ state: expect.stringMatching(/submitted|seen/), reason: null });
  const before = (await client.wallet.status()).balance.confirmed;
  await client.sandbox.faults.set({ name: 'http-error', value: 503, times: 3, area: 'mapi' });
  const second = await write(client, '{"n":2}', 'submitted', keyId);
  await until(async () => (await client.writer.documents.get({ id: second.id })).txid !== null, 30_000);
  await client.sandbox.mine({ blocks: 1 });
  for (const { id } of [first, second]) expect((await proven(client, id)).proof).not.toBeNull();
  expect((await client.writer.status()).states).toMatchObject({ proven: 2, dead: 0 });
  // The wallet paid nothing; at most the block's reward came in.
  expect((await client.wallet.status()).balance.confirmed).toBeGreaterThanOrEqual(before);
});

it('the writer finds its coins on the chain again when its journal is gone', { tags: 'long' }, async () => {
  const dataDir = newDataDir();
  const first = await open({ dataDir, overrides: APART });
  await until(async () => (await first.client.wallet.status()).balance.spendable, 30_000);
  const { id } = await write(first.client, '{"n":1}');
  await first.client.sandbox.mine({ blocks: 1 });
  const { txid, fee } = await proven(first.client, id);
  expect(await first.client.tx.get({ txid: txid as string })).toMatchObject({ origin: 'writer', fee });
  await close();
  const coins = coinsOf(dataDir);
  expect(coins.length).toBeGreaterThan(2);
  for (const end of ['', '-wal', '-shm']) rmSync(join(dataDir, 'sandbox', `writer.db${end}`), { force: true });

  const { client } = await open({ dataDir, overrides: APART });
  await expect.poll(() => coinsOf(dataDir), { timeout: 30_000 }).toEqual(coins);
  const again = await write(client, '{"n":2}');
  await client.sandbox.mine({ blocks: 1 });
  const document = await proven(client, again.id);
  expect(document.proof).not.toBeNull();
  // Paid for with a coin that was found, not with a new one.
  expect((await client.writer.status()).spentToday).toBe(document.fee);
});

it('the writer asks for more where the cap of the day is used up, and loses no document whatever the answer', async () => {
  const { client } = await open({ overrides: APART });
  await until(async () => (await client.wallet.status()).balance.spendable, 30_000);
  await client.settings.set({ key: 'writerDailySpend', value: 3_000 });
  const bodies = Array.from({ length: 60 }, (_, n) => JSON.stringify({ n, text: 'x'.repeat(200) }));
  const ids: string[] = [];
  for (const body of bodies) ids.push((await write(client, body, 'accepted')).id);
  const asked = await until(async () => (await client.approvals.list()).waiting[0]);
  expect(asked).toMatchObject({ kind: 'budget', program: 'Data writer', amount: 3_000, cap: 3_000, transactions: [] });
  await client.approvals.approve({ id: asked.id, digest: asked.digest });
  await until(async () => (await client.writer.status()).dailySpend === 6_000);
  const more = await until(async () => (await client.approvals.list()).waiting[0]);
  expect(more).toMatchObject({ amount: 3_000, cap: 6_000 });
  expect((await client.writer.status()).spentToday).toBeGreaterThan(2_000);
  await client.approvals.deny({ id: more.id });
  const { states, spentToday, dailySpend } = await client.writer.status();
  expect(states.dead).toBe(0);
  expect(spentToday).toBeLessThanOrEqual(dailySpend);
  // A higher cap is another way, and everything is written once.
  await client.settings.set({ key: 'writerDailySpend', value: 10_000_000 });
  for (const id of ids) await until(async () => (await client.writer.documents.get({ id })).txid !== null);
  expect((await client.approvals.list()).waiting).toEqual([]);
});
