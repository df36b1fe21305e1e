import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../commands/shared/run.ts';
import { type Transport, transports } from '../console/test-support/transports.ts';
import {
  addItem,
  closeTestHost,
  filledDataDir,
  openTestHost,
  type TestHost,
  until,
  walletPaid,
} from '../test-support/hosts/open-host.ts';

/** All of them in the long run. transports.test.ts shows them with less. */
const ways = Object.entries(transports).slice(process.env.PLANCHET_LONG ? 0 : -1);
describe.each(ways)('over %s', (_, open) => {
  let opened: TestHost;
  let transport: Transport;
  let client: ReturnType<Transport['connect']>;
  let destination: string;
  beforeEach(async () => {
    opened = await openTestHost({ dataDir: await filledDataDir(), scope: 'core' });
    transport = await open(opened.host.context);
    client = transport.connect();
    await walletPaid(opened.client);
    destination = (await client.wallet.status()).address as string;
  });
  afterEach(async () => {
    await transport.close();
    await closeTestHost(opened);
    rmSync(opened.dataDir, { recursive: true, force: true });
  });

  it('a project is planned, approved, paused, resumed and minted in one run', async () => {
    const { uid: projectUid } = await client.projects.create({ name: 'Moons', type: 'single' });
    for (const n of [1, 2, 3]) {
      await addItem(opened.client, projectUid, { name: `moon-${n}.txt`, bytes: Buffer.from(`moon ${n}`) });
    }
    const plan = await client.runs.plan({ projectUid, destination });
    expect(plan).toMatchObject({ tokens: 3, transactionCount: 1, problems: [] });
    expect(plan.policy).toEqual({ maxTxBytes: 10_000_000, maxSigops: null, maxAncestors: 10_000 });
    const { id, digest } = await client.runs.create({ projectUid, destination, idempotencyKey: randomUUID() });
    expect(digest).toBe(plan.digest);
    await client.runs.approve({ id, digest });
    await client.runs.pause({ id });
    await until(async () => (await client.runs.get({ id })).run.canResume);
    await client.runs.resume({ id });
    const done = await until(async () => {
      const { run } = await client.runs.get({ id });
      expect(run.failed).toBe(0);
      return run.minted === 3 && run;
    });
    expect((await client.runs.list({ limit: 10 })).runs.map((run) => run.id)).toEqual([done.id]);
    const { items } = await client.runs.items({ id, limit: 10 });
    expect(items.map(({ name }) => name)).toHaveLength(3);
    const nothingFailed = await client.runs.retry({ id }).catch((error: unknown) => failureOf(error).code);
    expect(nothingFailed).toBe('conflict');
  });

  it('a run that was not approved is cancelled, and its drafts stay', async () => {
    const { uid: projectUid } = await client.projects.create({ name: 'Rings', type: 'single' });
    await addItem(opened.client, projectUid, { name: 'ring.txt', bytes: Buffer.from('a ring') });
    const { id } = await client.runs.create({ projectUid, destination, idempotencyKey: randomUUID() });
    await client.runs.cancel({ id });
    await until(async () => (await client.items.list({ projectUid }))[0]?.state === 'draft');
    expect((await client.runs.get({ id })).run.state).toBe('cancelled');
  });
});
