import { describe, expect, it } from 'vitest';
import { StillClock } from '../../test-support/still-clock.ts';
import { MintBench } from '../test-support/mint-bench.ts';
import { inscribed, moons, openCollection, reachRun, startRun } from '../test-support/run-bench.ts';

const bench = MintBench.forTests();
const dearer = { satoshis: 950, bytes: 1_000 };

/** A run that ended with its items unsigned: the miner raised its price once all their transactions were under way. */
async function endedWithUnsigned(items = 2) {
  const clock = new StillClock(1_700_000_000_000);
  const tick = () => clock.advance(500);
  const t = await openCollection(bench, items, { clock });
  const id = await startRun(t);
  await reachRun(bench, t, id, ({ minted }) => minted === 1, tick);
  bench.service.fault(/create-transaction/, 503, { times: Number.POSITIVE_INFINITY });
  await reachRun(bench, t, id, ({ failure }) => failure !== null, tick);
  t.quote(dearer);
  bench.service.rate = dearer;
  bench.service.faults.length = 0;
  const run = await reachRun(bench, t, id, ({ state }) => state === 'done', tick);
  expect(run).toMatchObject({ minted: 1, failed: items });
  return { t, id, tick, run };
}

describe('a run that ended with transactions that were never signed', () => {
  it('cancels them: their tokens are drafts again, and what is minted stays', async () => {
    const { t, id, tick, run } = await endedWithUnsigned();
    expect(run).toMatchObject({ canCancel: true, canRetry: true });
    await t.studio.runs.cancel(id);
    const done = await reachRun(bench, t, id, ({ state }) => state === 'done', tick);
    expect(done).toMatchObject({ minted: 1, failed: 0, cancelled: 2, canCancel: false, canRetry: false });
    expect(done.endedAt).toBeGreaterThan(run.endedAt as number);
    const items = await t.studio.listItems({ projectUid: t.projectUid });
    expect(items.map(({ state }) => state)).toEqual(['proven', 'draft', 'draft']);
    expect(t.wallet.reservations()).toEqual([]);
    expect(inscribed(bench)).toEqual(moons(1));
    await expect(t.studio.runs.cancel(id)).rejects.toMatchObject({ id: 'run.all-signed' });
  });

  it('does not cancel one that is signed, though the miner refused it', async () => {
    const t = await openCollection(bench, 2);
    // The money is divided and the collection token minted; the transaction of the items is the third.
    const refusal = Buffer.from(JSON.stringify({ error: { code: -26, message: '66: insufficient priority' } }));
    bench.service.before = async (call) => {
      if (/miner\/submit/.test(call) && bench.service.count(/miner\/submit/) === 3)
        bench.service.fault(/miner\/submit/, refusal);
    };
    const id = await startRun(t, { direct: true });
    const run = await reachRun(bench, t, id, ({ state }) => state === 'done');
    expect(run).toMatchObject({ minted: 1, failed: 2, byState: { signed: 2 }, canCancel: false, canRetry: true });
    await expect(t.studio.runs.cancel(id)).rejects.toMatchObject({ id: 'run.all-signed' });
    await t.studio.runs.retry(id);
    await reachRun(bench, t, id, ({ state, minted }) => state === 'done' && minted === 3);
    expect(inscribed(bench)).toEqual(moons(3));
  });
});
