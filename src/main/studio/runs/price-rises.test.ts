import { describe, expect, it } from 'vitest';
import { StillClock } from '../../test-support/still-clock.ts';
import { MintHarness } from '../test-support/mint-harness.ts';
import { inscribed, moons, openCollection, reachRun, startRun } from '../test-support/run-harness.ts';

const harness = MintHarness.forTests();
const dearer = { satoshis: 950, bytes: 1_000 };

/** A run whose miner raises its price while transactions of its items are under way. */
async function underWay(items: number) {
  const clock = new StillClock(1_700_000_000_000);
  const tick = () => clock.advance(500);
  const t = await openCollection(harness, items, { clock });
  // The first call is for the collection token. A fault that is set later may miss the second call on a busy machine.
  harness.service.before = async (call) => {
    if (/create-transaction/.test(call) && harness.service.count(/create-transaction/) === 2)
      harness.service.fault(/create-transaction/, 503, { times: Number.POSITIVE_INFINITY });
  };
  const id = await startRun(t);
  await reachRun(harness, t, id, ({ minted }) => minted === 1, tick);
  await reachRun(harness, t, id, ({ failure }) => failure !== null, tick);
  t.quote(dearer);
  harness.service.rate = dearer;
  harness.service.faults.length = 0;
  return { t, id, tick };
}

/** A run that ended with its items unsigned, because the miner raised its price once all their transactions were under way. */
async function endedWithUnsigned() {
  const { t, id, tick } = await underWay(2);
  const run = await reachRun(harness, t, id, ({ state }) => state === 'done', tick);
  expect(run).toMatchObject({ minted: 1, failed: 2 });
  return { t, id, tick, run };
}

describe('a run that ended with transactions that were never signed', () => {
  it('cancels them: their tokens are drafts again, and what is minted stays', { tags: 'long' }, async () => {
    const { t, id, tick, run } = await endedWithUnsigned();
    expect(run).toMatchObject({ canCancel: true, canRetry: true });
    await t.studio.runs.cancel({ id });
    const done = await reachRun(harness, t, id, ({ state }) => state === 'done', tick);
    expect(done).toMatchObject({ minted: 1, failed: 0, cancelled: 2, canCancel: false, canRetry: false });
    expect(done.endedAt).toBeGreaterThan(run.endedAt as number);
    const items = await t.studio.items.list({ projectUid: t.projectUid });
    expect(items.map(({ state }) => state)).toEqual(['proven', 'draft', 'draft']);
    expect(t.wallet.reservations()).toEqual([]);
    expect(inscribed(harness)).toEqual(moons(1));
    await expect(t.studio.runs.cancel({ id })).rejects.toMatchObject({ id: 'run.all-signed' });
  });

  it('plans them anew at the price of today, and mints them once that is approved', async () => {
    const { t, id, tick, run } = await endedWithUnsigned();
    await expect(t.studio.runs.retry({ id })).resolves.toMatchObject({
      state: 'paused',
      failure: { id: 'run.quote-changed', values: { now: 950, planned: 500 } },
      canApprove: true,
      canCancel: true,
      failed: 0,
      endedAt: null,
    });
    const { plan } = await t.studio.runs.get({ id });
    expect(plan.digest).not.toBe(run.digest);
    expect(plan.transactions.map(({ kind, tokens }) => [kind, tokens])).toEqual([['items', 2]]);
    await expect(t.studio.runs.approve({ id, digest: run.digest })).rejects.toMatchObject({
      id: 'run.other-plan-approved',
    });
    await t.studio.runs.approve({ id, digest: plan.digest });
    const done = await reachRun(harness, t, id, ({ state }) => state === 'done', tick);
    expect(done).toMatchObject({ minted: 3, failed: 0 });
    expect(inscribed(harness)).toEqual(moons(3));
    expect(t.wallet.reservations()).toEqual([]);
  });

  it('does not cancel one that is signed, though the miner refused it', async () => {
    const t = await openCollection(harness, 2);
    // The money is divided and the collection token minted; the transaction of the items is the third.
    const refusal = Buffer.from(JSON.stringify({ error: { code: -26, message: '66: insufficient priority' } }));
    harness.service.before = async (call) => {
      if (/miner\/submit/.test(call) && harness.service.count(/miner\/submit/) === 3)
        harness.service.fault(/miner\/submit/, refusal);
    };
    const id = await startRun(t, { direct: true });
    const run = await reachRun(harness, t, id, ({ state }) => state === 'done');
    expect(run).toMatchObject({ minted: 1, failed: 2, byState: { signed: 2 }, canCancel: false, canRetry: true });
    await expect(t.studio.runs.cancel({ id })).rejects.toMatchObject({ id: 'run.all-signed' });
    await t.studio.runs.retry({ id });
    await reachRun(harness, t, id, ({ state, minted }) => state === 'done' && minted === 3);
    expect(inscribed(harness)).toEqual(moons(3));
  });
});

it('a run whose miner raised its price plans what is under way anew together with what has not begun', {
  tags: 'long',
}, async () => {
  const { t, id, tick } = await underWay(10);
  const paused = await reachRun(harness, t, id, ({ state, waits }) => state === 'paused' && !waits, tick);
  expect(paused).toMatchObject({ canApprove: true, failure: { id: 'run.quote-changed' }, minted: 1, failed: 0 });
  const { plan } = await t.studio.runs.get({ id });
  expect(plan).toMatchObject({ tokens: 10, transactionCount: 5 });
  await t.studio.runs.approve({ id, digest: plan.digest });
  const done = await reachRun(harness, t, id, ({ state }) => state === 'done', tick);
  expect(done).toMatchObject({ minted: 11, failed: 0 });
  expect(inscribed(harness)).toEqual(moons(11));
  expect(t.wallet.reservations()).toEqual([]);
  expect(harness.service.chain.doubleSpends).toEqual([]);
});
