import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Run } from '../../contract/index.ts';
import {
  addItem,
  closeTestHost,
  filledDataDir,
  openTestHost,
  type TestHost,
  until,
  walletFilled,
  walletPaid,
} from '../test-support/hosts/open-host.ts';

let host: TestHost;
beforeEach(async () => {
  const runLimits = { minTokens: 2, maxTokens: 2, maxContentBytes: 10_000 };
  host = await openTestHost({ dataDir: await filledDataDir(), scope: 'core', runLimits });
});
afterEach(() => closeTestHost(host));

it('base64 text in place of a file is refused by default, and minted once the setting accepts it', async () => {
  const { client } = host;
  await walletPaid(client);
  const { uid: projectUid } = await client.projects.create({ name: 'Letters', type: 'single' });
  const bytes = Buffer.from('a picture of the moon');
  await addItem(client, projectUid, { name: 'moon.txt', bytes });
  await client.sandbox.faults.set({ name: 'base64-content' });
  const destination = (await client.wallet.status()).address as string;
  const run = async (done: (now: Run) => boolean): Promise<Run> => {
    const { id, digest } = await client.runs.create({ projectUid, destination, idempotencyKey: randomUUID() });
    await client.runs.approve({ id, digest });
    return until(async () => {
      const now = (await client.runs.get({ id })).run;
      return done(now) && now;
    });
  };
  const refused = await run(({ failed }) => failed === 1);
  const job = await client.mint.get({
    id: (await client.runs.items({ id: refused.id, limit: 1 })).items[0]?.jobId as string,
  });
  expect(job.failure).toMatchObject({ code: 'review-failed', hint: expect.stringContaining('base64Content') });
  expect((await client.tx.list({ origins: ['mint'] })).transactions).toEqual([]);
  await client.runs.cancel({ id: refused.id });

  await client.settings.set({ key: 'base64Content', value: 'accept' });
  const { id } = await run(({ minted }) => minted === 1);
  const [item] = (await client.runs.items({ id, limit: 1 })).items;
  const [txid, index] = String(item?.outpoint).split('_') as [string, string];
  const content = await client.transactions.content({ txid, index: Number(index) });
  expect(await content.text()).toBe(bytes.toString('base64'));
});

it('a refusal of content in base64 stops a whole run once, which is planned anew and goes on when the setting accepts it', async () => {
  const { client } = host;
  await walletFilled(client);
  const { uid: projectUid } = await client.projects.create({ name: 'Letters', type: 'single' });
  for (let n = 0; n < 12; n++)
    await addItem(client, projectUid, { name: `${n}.txt`, bytes: Buffer.from(`moon ${n}`.padEnd(900, '.')) });
  await client.sandbox.faults.set({ name: 'base64-content' });
  const destination = (await client.wallet.status()).address as string;
  const { id, digest, plannedFee } = await client.runs.create({
    projectUid,
    destination,
    idempotencyKey: randomUUID(),
  });
  await client.runs.approve({ id, digest });
  const reach = (done: (now: Run) => boolean): Promise<Run> =>
    until(async () => {
      const now = (await client.runs.get({ id })).run;
      return done(now) && now;
    });
  const refused = await reach(({ state, waits }) => state === 'paused' && !waits);
  expect(refused).toMatchObject({ failure: { id: 'mint.base64-content' }, minted: 0, canResume: true });

  await client.settings.set({ key: 'base64Content', value: 'accept' });
  const planned = await client.runs.resume({ id });
  expect(planned).toMatchObject({ state: 'paused', canApprove: true, failure: { id: 'run.base64-planned' } });
  expect(planned.plannedFee).toBeGreaterThan(plannedFee);
  await client.runs.approve({ id, digest: planned.digest });
  expect(await reach(({ minted }) => minted === 12)).toMatchObject({ failed: 0, failure: null });
});
