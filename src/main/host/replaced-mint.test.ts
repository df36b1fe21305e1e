import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { addItem, type TestClient, until, walletFilled } from '../test-support/hosts/open-host.ts';

const hosts = oneHost();
let client: TestClient;
beforeEach(async () => {
  const overrides = { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' };
  ({ client } = await hosts.open({ scope: 'core', overrides }));
  await walletFilled(client);
});

const isSent = (state: string): boolean => state === 'submitted' || state === 'seen';

it.each([false, true])(
  'a mint whose coin another transaction took is built anew by itself (direct: %s)',
  async (direct) => {
    const destination = (await client.wallet.status()).address as string;
    const { uid: projectUid } = await client.projects.create({ name: 'Moons', type: 'single' });
    for (const n of [1, 2, 3]) await addItem(client, projectUid, { name: `${n}.txt`, bytes: Buffer.from(`moon ${n}`) });
    const { id, digest } = await client.runs.create({ projectUid, destination, direct, idempotencyKey: randomUUID() });
    await client.runs.approve({ id, digest });
    const sent = await until(async () => {
      const { items } = await client.runs.items({ id, limit: 10 });
      return items.every(({ state }) => isSent(state)) && items;
    });
    const txid = sent[0]?.outpoint?.slice(0, 64) as string;
    await client.sandbox.fund({ address: destination, satoshis: 5_000_000 });
    const { txid: rival } = await client.sandbox.doubleSpend({ txid, mined: true });
    const again = await until(async () => {
      const { items } = await client.runs.items({ id, limit: 10 });
      return items.every(({ state, outpoint }) => isSent(state) && !outpoint?.startsWith(txid)) && items;
    });
    await client.sandbox.mine({ blocks: 1 });
    const done = await until(async () => {
      const { run } = await client.runs.get({ id });
      return run.state === 'done' && run;
    });
    expect(done).toMatchObject({ minted: 3, failed: 0, failure: null, byState: { proven: 3 } });
    expect(new Set(again.map(({ outpoint }) => outpoint)).size).toBe(3);
    expect(await client.tx.get({ txid })).toMatchObject({ state: 'double-spent', doubleSpentBy: rival });
    const { tokens } = await client.tokens.list({ limit: 10, offset: 0 });
    expect(tokens.map(({ outpoint }) => outpoint).sort()).toEqual(again.map(({ outpoint }) => outpoint).sort());
    expect((await client.wallet.status()).balance.reserved).toBe(0);
  },
);
