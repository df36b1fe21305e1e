import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseTx } from '../../../chain/index.ts';
import type { Run } from '../../../contract/index.ts';
import { OWN_ADDRESS, OWN_SCRIPT } from '../test-support/file-wallet.ts';
import { MintHarness, png } from '../test-support/mint-harness.ts';
import {
  type CollectionStudio,
  inscribed,
  moons,
  openCollection,
  reachRun,
  smallBatches,
  startRun,
} from '../test-support/run-harness.ts';
import { addItem, type TestStudio, type TestStudioOptions } from '../test-support/test-studio.ts';

const harness = MintHarness.forTests();
const destination = OWN_ADDRESS;

const collection = (items: number, options: Partial<TestStudioOptions> = {}, bytes = 20): Promise<CollectionStudio> =>
  openCollection(harness, items, options, bytes);

async function created(t: CollectionStudio): Promise<Run> {
  return t.studio.runs.create({ projectUid: t.projectUid, destination, idempotencyKey: randomUUID() });
}

const started = (t: CollectionStudio): Promise<string> => startRun(t);

const reach = (t: TestStudio, id: string, done: (run: Run) => boolean): Promise<Run> => reachRun(harness, t, id, done);

it('a run journals each step of a transaction once', async () => {
  const t = await collection(3);
  t.store.sqlite.exec(`create temp table steps (job, state);
    create temp trigger note after update on studio_jobs begin insert into steps values (new.id, new.state); end`);
  await reach(t, await started(t), ({ state, byState }) => state === 'done' && byState.proven === 4);
  const rows = t.store.sqlite.prepare('select job, state from steps').all() as { job: string; state: string }[];
  const steps = Map.groupBy(rows, ({ job }) => job);
  expect(steps.size).toBe(3);
  for (const one of steps.values())
    expect(one.map(({ state }) => state)).toEqual([
      // the intent to upload, the upload, and the intent to build
      ...['draft', 'uploaded', 'uploaded'],
      ...['built', 'reviewed', 'signed', 'submitted', 'seen', 'mined', 'proven'],
    ]);
});

describe('a plan of a run', () => {
  it('divides a collection into its token and transactions of items, and adds up what they cost', async () => {
    const t = await collection(5);
    const plan = await t.studio.runs.plan({ projectUid: t.projectUid, destination });
    expect(plan.problems).toEqual([]);
    expect(plan.transactions.map(({ kind, tokens }) => [kind, tokens])).toEqual([
      ['collection', 1],
      ['items', 2],
      ['items', 2],
      ['items', 1],
    ]);
    expect(plan.split?.outputs).toBe(4);
    const fees = plan.transactions.reduce((sum, { fee }) => sum + fee, plan.split?.fee ?? 0);
    expect(plan).toMatchObject({ tokens: 6, transactionCount: 5, fee: fees, total: fees + 6 });
    expect(plan.maxTotal).toBeGreaterThan(plan.total);
  });

  it('of one transaction has a fee limit for the coins that it takes, so that many small ones pay for it', async () => {
    const t = await harness.start();
    t.wallet.add(
      harness.service.chain.fund(
        OWN_SCRIPT,
        Array.from({ length: 100 }, () => 150),
      ),
    );
    const { uid: projectUid } = await t.studio.projects.create({ name: 'Moons', type: 'single' });
    await addItem(t, projectUid, png('picture 0'.padEnd(3_000)), 'Moon 0');
    const plan = await t.studio.runs.plan({ projectUid, destination });
    expect(plan).toMatchObject({ split: null, transactionCount: 1, problems: [] });
    const id = await started({ ...t, projectUid });
    const done = await reach(t, id, ({ state }) => state === 'done');
    expect(done).toMatchObject({ minted: 1, failed: 0, failure: null });
    expect(harness.minted()[0]?.inputs.length).toBeGreaterThan(20);
    expect(done.fee).toBeLessThanOrEqual(plan.maxTotal - 1);
  });

  it('shows the fee of the split for the coins that it takes', async () => {
    const t = await harness.start({ runLimits: smallBatches });
    t.wallet.add(
      harness.service.chain.fund(
        OWN_SCRIPT,
        Array.from({ length: 100 }, () => 150),
      ),
    );
    const { uid: projectUid } = await t.studio.projects.create({ name: 'Moons', type: 'collection' });
    for (let i = 0; i <= 2; i++) await addItem(t, projectUid, png(`picture ${i}`.padEnd(20)), `Moon ${i}`);
    const plan = await t.studio.runs.plan({ projectUid, destination });
    expect(plan.problems).toEqual([]);
    const id = await started({ ...t, projectUid });
    const { splitTxid } = await reach(t, id, ({ state }) => state === 'done');
    const split = harness.service.chain.transactions.get(splitTxid as string) as Uint8Array;
    expect(parseTx(split).inputs.length).toBeGreaterThan(20);
    expect(plan.split?.size).toBeGreaterThanOrEqual(split.length);
  });

  it.each([2, 0])('counts no coin that costs more to spend than it is worth (%i items)', async (items) => {
    const t = await harness.start({ runLimits: smallBatches });
    t.wallet.add(harness.service.chain.fund(OWN_SCRIPT, [300, ...Array.from({ length: 200 }, () => 20)]));
    const { uid: projectUid } = await t.studio.projects.create({ name: 'Moons', type: 'collection' });
    for (let i = 0; i <= items; i++) await addItem(t, projectUid, png(`picture ${i}`), `Moon ${i}`);
    const plan = await t.studio.runs.plan({ projectUid, destination });
    expect(plan.split === null).toBe(items === 0);
    expect(plan.spendable).toBe(300);
    expect(plan.needed).toBeLessThan(4_300);
    expect(plan.problems.map(({ code }) => code)).toContain('funds-insufficient');
  });

  it('names too small a quota before the first byte is sent', async () => {
    const t = await collection(5);
    harness.service.quota.monthlyMintLimit = 3;
    const { problems } = await t.studio.runs.plan({ projectUid: t.projectUid, destination });
    expect(problems.map(({ code }) => code)).toEqual(['quota-exceeded']);
    await expect(created(t)).rejects.toMatchObject({ code: 'quota-exceeded' });
    expect(harness.service.outputs.size).toBe(0);
  });

  it('says who gets a share of later sales, and does not mint what nobody could receive', async () => {
    const t = await collection(2);
    const target = { projectUid: t.projectUid, destination };
    const royalties = [{ destination, percentage: '0.05' }];
    const [, first, second] = await t.studio.items.list({ projectUid: t.projectUid });
    const metadata = { name: 'Moon', description: '', traits: [], royalties };
    await t.studio.items.update({ id: first?.id as string, metadata });
    await t.studio.items.update({ id: second?.id as string, metadata });
    expect(await t.studio.runs.plan(target)).toMatchObject({ royalties, problems: [] });
    // as an earlier version stored it
    const stored = JSON.stringify({ ...metadata, royalties: [{ destination: 'not an address!', percentage: '0.05' }] });
    t.store.sqlite.prepare('update studio_items set metadata = ? where id = ?').run(stored, second?.id);
    const { problems } = await t.studio.runs.plan(target);
    expect(problems.map(({ message }) => message)).toEqual([
      '“not an address!” cannot receive a royalty: it is neither an address of this network nor a paymail.',
    ]);
    await expect(created(t)).rejects.toMatchObject({ id: 'mint.royalty-receiver' });
    await t.studio.items.update({ id: second?.id as string, metadata: { ...metadata, royalties: [] } });
    expect((await t.studio.runs.plan(target)).problems).toEqual([]);
  });

  it('says how many of its files are tokens already, and of which project', async () => {
    const t = await collection(2);
    const { uid } = await t.studio.projects.create({ name: 'Moons again', type: 'collection' });
    for (let i = 0; i <= 3; i++) await addItem(t, uid, png(`picture ${i}`.padEnd(20)), `Moon ${i}`);
    const again = { projectUid: uid, destination };
    expect((await t.studio.runs.plan(again)).repeats).toEqual([]);
    await reach(t, await started(t), ({ state }) => state === 'done');
    const { repeats, problems } = await t.studio.runs.plan(again);
    expect(repeats).toEqual([{ projectUid: t.projectUid, projectName: 'Moons', files: 3 }]);
    expect(problems).toEqual([]);
  });

  it('is approved for exactly what was shown: another text gives another digest', async () => {
    const t = await collection(2);
    const target = { projectUid: t.projectUid, destination };
    const { digest } = await t.studio.runs.plan(target);
    expect((await t.studio.runs.plan(target)).digest).toBe(digest);
    const item = (await t.studio.items.list({ projectUid: t.projectUid }))[1];
    const metadata = { name: 'Another', description: '', traits: [] };
    await t.studio.items.update({ id: item?.id as string, metadata });
    expect((await t.studio.runs.plan(target)).digest).not.toBe(digest);
  });
});

describe('a run', () => {
  it('mints a collection and its items under one approval and accounts for each satoshi', async () => {
    const t = await collection(5);
    const before = t.wallet.balance().spendable;
    const id = await started(t);
    const done = await reach(t, id, ({ state }) => state === 'done');
    expect(done).toMatchObject({ items: 6, minted: 6, failed: 0, failure: null, byState: { proven: 6 } });
    expect(done.transactions).toEqual({ total: 5, submitted: 5, proven: 5, failed: 0 });
    expect((await t.studio.runs.get({ id })).plan.transactionCount).toBe(5);
    expect(inscribed(harness)).toEqual(moons(6));
    expect(harness.service.chain.doubleSpends).toEqual([]);
    expect(t.wallet.reservations()).toEqual([]);
    expect(t.wallet.balance().spendable).toBe(before - done.fee - 6);
    expect(done.fee + 6).toBeLessThanOrEqual(done.maxTotal);

    const { items, next } = await t.studio.runs.items({ id, offset: 0, limit: 10 });
    expect(next).toBeNull();
    const collectionId = items[0]?.outpoint as string;
    expect(items.map(({ name }) => name)).toEqual(moons(6));
    for (const item of items.slice(1)) {
      const [txid, index] = (item.outpoint as string).split('_') as [string, string];
      const view = await t.studio.transactions.get({ txid, output: Number(index) });
      const data = view.outputs.find((output) => output.index === Number(index))?.inscription?.metadata.subTypeData;
      expect(JSON.parse(data as string)).toMatchObject({ collectionId });
    }
  });

  it('signs nothing without an approval of its plan', async () => {
    const t = await collection(2);
    const run = await created(t);
    expect(run).toMatchObject({ state: 'planned', canApprove: true, canPause: false });
    await expect(t.studio.runs.approve({ id: run.id, digest: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(harness.service.outputs.size).toBe(0);
    expect(harness.service.count(/submit/)).toBe(0);
  });

  it('is the same run for the same idempotency key', async () => {
    const t = await collection(2);
    const request = { projectUid: t.projectUid, destination, idempotencyKey: 'one-key-only' };
    const [first, second] = await Promise.all([t.studio.runs.create(request), t.studio.runs.create(request)]);
    expect(second.id).toBe(first.id);
  });

  it('pauses, and goes on after a restart where it stopped', async () => {
    const t = await collection(5);
    const id = await started(t);
    await reach(t, id, ({ minted }) => minted >= 1);
    expect(await t.studio.runs.pause({ id })).toMatchObject({ state: 'paused', canResume: true });
    await harness.close();

    const again = await harness.start({ runLimits: smallBatches });
    expect((await again.studio.runs.get({ id })).run.state).toBe('paused');
    await again.studio.runs.resume({ id });
    expect(await reach(again, id, ({ state }) => state === 'done')).toMatchObject({ minted: 6, failed: 0 });
    expect(inscribed(harness)).toEqual(moons(6));
  });

  it('that is cancelled leaves drafts and coins, while signed transactions go on', async () => {
    const t = await collection(3);
    harness.service.quota.monthlyMintLimit = 10_000;
    const id = await started(t);
    harness.service.fault(/create-transaction/, 503, { times: 1_000 });
    await reach(t, id, ({ failure }) => failure !== null);
    const cancelled = await t.studio.runs.cancel({ id });
    expect(cancelled.cancelled + cancelled.minted).toBe(4);
    const ended = await reach(t, id, ({ state }) => state === 'cancelled' || state === 'done');
    expect(t.wallet.reservations()).toEqual([]);
    const drafts = (await t.studio.items.list({ projectUid: t.projectUid })).filter(({ state }) => state === 'draft');
    expect(drafts).toHaveLength(ended.cancelled);
    // Cancelled transactions do not count as transactions of the run.
    const { plan } = await t.studio.runs.get({ id });
    expect(ended.transactions.total).toBeLessThan(plan.transactionCount);
    expect(harness.service.outputs.size).toBe(ended.minted);
  });

  it('that was cancelled cannot be approved with any digest', async () => {
    const t = await collection(2);
    const { id, digest } = await created(t);
    t.wallet.locked = true;
    await t.studio.runs.approve({ id, digest });
    expect(await t.studio.runs.approve({ id, digest })).toMatchObject({ id });
    expect(await t.studio.runs.cancel({ id })).toMatchObject({ state: 'cancelled' });
    await expect(t.studio.runs.approve({ id, digest })).rejects.toMatchObject({ id: 'run.not-waiting' });
  });

  it('waits for a locked wallet and goes on by itself', { tags: 'long' }, async () => {
    const t = await collection(2);
    const { id, digest } = await created(t);
    t.wallet.locked = true;
    await t.studio.runs.approve({ id, digest });
    const waiting = await reach(t, id, ({ waits }) => waits);
    expect(waiting).toMatchObject({ state: 'paused', failure: { code: 'vault-locked' }, canResume: false });
    t.wallet.locked = false;
    expect(await reach(t, id, ({ state }) => state === 'done')).toMatchObject({ minted: 3 });
  });

  it('pauses with the reason where the quota is used up, and goes on when there is more', async () => {
    const t = await collection(3);
    harness.service.fault(/create-output/, 402, { times: 1 });
    const id = await started(t);
    const paused = await reach(t, id, ({ state }) => state === 'paused');
    expect(paused).toMatchObject({ failure: { code: 'quota-exceeded' }, canResume: true });
    await t.studio.runs.resume({ id });
    expect(await reach(t, id, ({ state }) => state === 'done')).toMatchObject({ minted: 4, failed: 0 });
    expect(inscribed(harness)).toEqual(moons(4));
  });

  it('tries one of the transactions that failed again, and leaves the others', async () => {
    const t = await collection(5);
    const id = await started(t);
    await reach(t, id, ({ byState }) => byState.draft !== 6);
    let tampered = 0;
    harness.service.tamper = (txObj) => {
      if (txObj.outputs.length < 3 || tampered++ > 1) return txObj;
      return { ...txObj, outputs: txObj.outputs.slice(1), hash: undefined };
    };
    expect(await reach(t, id, ({ state }) => state === 'done')).toMatchObject({ minted: 2, failed: 4 });
    const { items } = await t.studio.runs.items({ id, offset: 0, limit: 10 });
    const [one, other] = new Set(items.flatMap(({ failure, jobId }) => (failure === null ? [] : [jobId])));
    await expect(t.studio.runs.retry({ id, jobId: 'none' })).rejects.toMatchObject({ id: 'run.nothing-failed' });
    await t.studio.runs.retry({ id, jobId: one });
    await reach(t, id, ({ state, minted }) => state === 'done' && minted === 4);
    const left = (await t.studio.runs.items({ id, offset: 0, limit: 10 })).items;
    expect(left.flatMap(({ failure, jobId }) => (failure === null ? [] : [jobId]))).toEqual([other, other]);
    await t.studio.runs.retry({ id, jobId: other });
    expect(await reach(t, id, ({ state, failed }) => state === 'done' && failed === 0)).toMatchObject({ minted: 6 });
    expect(inscribed(harness)).toEqual(moons(6));
  });

  it('tries only what failed again', async () => {
    const t = await collection(5);
    const id = await started(t);
    await reach(t, id, ({ byState }) => byState.draft !== 6);
    let tampered = 0;
    harness.service.tamper = (txObj) => {
      if (txObj.outputs.length < 3 || tampered++ > 0) return txObj;
      return { ...txObj, outputs: txObj.outputs.slice(1), hash: undefined };
    };
    const stuck = await reach(t, id, ({ state }) => state === 'done');
    expect(stuck).toMatchObject({ minted: 4, failed: 2, canRetry: true });
    await t.studio.runs.retry({ id });
    expect(await reach(t, id, ({ state, failed }) => state === 'done' && failed === 0)).toMatchObject({ minted: 6 });
    expect(inscribed(harness)).toEqual(moons(6));
  });

  it('does not sign a transaction that costs more than the plan allows, and builds it again on a retry', async () => {
    const t = await collection(2, {}, 4_000);
    // The change becomes part of the fee, which a review allows and this plan does not.
    harness.service.tamper = ({ changeIndex: _, changeScript: __, hash: ___, ...txObj }) => ({
      ...txObj,
      outputs: txObj.outputs.slice(0, -1),
    });
    const id = await started(t);
    const paused = await reach(t, id, ({ state }) => state === 'paused');
    expect(paused.failure?.message).toMatch(/the approved plan allows/);
    expect(harness.minted()).toEqual([]);
    harness.service.tamper = (txObj) => txObj;
    await t.studio.runs.retry({ id });
    expect(await reach(t, id, ({ state }) => state === 'done')).toMatchObject({ minted: 3, failed: 0 });
  });

  it('withdraws its approval before it raises a fee limit', async () => {
    const t = await collection(3);
    const { id, digest } = await created(t);
    const limitsOf = () => t.store.sqlite.prepare('select id, max_fee from studio_jobs order by id').all();
    const approvedLimits = limitsOf();
    t.store.sqlite.exec(`create temp trigger no_pause before update on studio_runs when new.state = 'paused'
      begin select raise(abort, 'cannot be written'); end`);
    t.quote({ satoshis: 600, bytes: 1_000 });
    await t.studio.runs.approve({ id, digest });
    await reach(t, id, ({ failure }) => failure !== null);
    expect(limitsOf()).toEqual(approvedLimits);
    t.store.sqlite.exec('drop trigger no_pause');
    await reach(t, id, ({ state }) => state === 'paused');
    expect(harness.minted()).toEqual([]);
  });

  it('waits for another approval where the miner asks more than the plan has', async () => {
    const t = await collection(3);
    const { id, digest } = await created(t);
    t.quote({ satoshis: 600, bytes: 1_000 });
    await t.studio.runs.approve({ id, digest });
    const paused = await reach(t, id, ({ state }) => state === 'paused');
    expect(paused).toMatchObject({ canApprove: true, canResume: false, minted: 0 });
    expect(paused.failure?.message).toMatch(/600 satoshis/);
    expect(paused.digest).not.toBe(digest);
    await expect(t.studio.runs.approve({ id, digest })).rejects.toMatchObject({ code: 'conflict' });
    harness.service.rate = { satoshis: 600, bytes: 1_000 };
    await t.studio.runs.approve({ id, digest: paused.digest });
    expect(await reach(t, id, ({ state }) => state === 'done')).toMatchObject({ minted: 4, failed: 0 });
    expect(t.wallet.reservations()).toEqual([]);
  });
});
