import { describe, expect, it } from 'vitest';
import { parseInscription, parseTx } from '../../../chain/index.ts';
import { OWN_ADDRESS } from '../test-support/file-wallet.ts';
import { MintHarness } from '../test-support/mint-harness.ts';
import { openCollection, reachRun, smallBatches, startRun } from '../test-support/run-harness.ts';

const harness = MintHarness.forTests();
const everyTokenCall = /token\/v1|console\/v1/;

/** Names of everything inscribed on the chain, sorted. */
const inscribed = (): string[] =>
  [...harness.service.chain.transactions.values()]
    .flatMap((raw) => parseTx(raw).outputs.flatMap(({ script }) => parseInscription(script)?.map.name ?? []))
    .sort();

const moons = (count: number): string[] => Array.from({ length: count }, (_, i) => `Moon ${i}`);

describe('a direct run', () => {
  it('mints a collection while the token service is away, with the same journal, review and ledger', async () => {
    const t = await openCollection(harness, 5);
    const before = t.wallet.balance().spendable;
    harness.service.fault(everyTokenCall, 503, { times: 1_000_000 });
    const calls = harness.service.count(everyTokenCall);
    const id = await startRun(t, { direct: true });
    const done = await reachRun(harness, t, id, ({ state }) => state === 'done');
    expect(done).toMatchObject({ direct: true, items: 6, minted: 6, failed: 0, failure: null, byState: { proven: 6 } });
    expect(inscribed()).toEqual(moons(6));
    expect(harness.service.chain.doubleSpends).toEqual([]);
    expect(t.wallet.reservations()).toEqual([]);
    expect(t.wallet.balance().spendable).toBe(before - done.fee - 6);
    expect(done.fee).toBeLessThanOrEqual(done.plannedFee);
    // Views may ask for the quota; nothing else of the service is called.
    expect(harness.service.calls.slice(calls).filter((call) => /token\/v1/.test(call))).toEqual([]);

    const { items } = await t.studio.runs.items({ id, offset: 0, limit: 10 });
    const collectionId = items[0]?.outpoint as string;
    const { rows } = await t.studio.tokens.ledger({ projectUid: t.projectUid, offset: 0, limit: 10 });
    const pages = [0, 1, 2, 3].map((page) =>
      t.studio.tokens.ledger({ projectUid: t.projectUid, offset: page * 3, limit: 3 }),
    );
    const paged = await Promise.all(pages);
    expect(paged.flatMap((one) => one.rows)).toEqual(rows);
    expect(paged.map(({ total }) => total)).toEqual([rows.length, rows.length, rows.length, rows.length]);
    expect(rows.map(({ outpoint }) => outpoint)).toEqual(items.map(({ outpoint }) => outpoint));
    const blocks = await t.studio.tokens.blocks();
    expect(blocks.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(6);
    expect(blocks.map(({ height }) => height)).toEqual(
      [...new Set(rows.map(({ blockHeight }) => blockHeight))].sort((a, b) => Number(a) - Number(b)),
    );
    for (const item of items.slice(1)) {
      const [txid, index] = (item.outpoint as string).split('_') as [string, string];
      const view = await t.studio.transactions.get({ txid, output: Number(index) });
      const data = view.outputs.find((output) => output.index === Number(index))?.inscription?.metadata.subTypeData;
      expect(JSON.parse(data as string)).toMatchObject({ collectionId });
      const job = await t.studio.mint.get({ id: item.jobId });
      expect(job.review).toMatchObject({ ok: true });
    }
  });

  it('builds the same bytes of tokens as the service does, at the same cost', async () => {
    const t = await openCollection(harness, 2);
    const target = { projectUid: t.projectUid, destination: OWN_ADDRESS };
    const through = await t.studio.runs.plan(target);
    const direct = await t.studio.runs.plan({ ...target, direct: true });
    expect(direct.contentDigest).toBe(through.contentDigest);
    expect(direct.digest).not.toBe(through.digest);
    expect(direct).toMatchObject({ direct: true, fee: through.fee, total: through.total, quotaAvailable: null });
  });

  it('asks for no quota, so a used-up one does not stop it', async () => {
    const t = await openCollection(harness, 2);
    harness.service.quota.monthlyMintLimit = 0;
    const id = await startRun(t, { direct: true });
    expect(await reachRun(harness, t, id, ({ state }) => state === 'done')).toMatchObject({ minted: 3 });
  });

  it('goes on after a restart where it stopped', { tags: 'long' }, async () => {
    const t = await openCollection(harness, 5);
    harness.service.fault(/miner\/submit/, 503, { times: 3 });
    const id = await startRun(t, { direct: true });
    await reachRun(harness, t, id, ({ byState }) => (byState.draft ?? 0) < 6);
    await harness.close();
    const again = await harness.start({ runLimits: smallBatches });
    expect(await reachRun(harness, again, id, ({ state }) => state === 'done')).toMatchObject({ minted: 6, failed: 0 });
    expect(inscribed()).toEqual(moons(6));
    expect(harness.service.outputs.size).toBe(0);
  });

  it('that is cancelled leaves its drafts, and makes no request to the service', async () => {
    const t = await openCollection(harness, 2);
    harness.service.fault(/miner\/submit/, 503, { times: 1_000_000 });
    const id = await startRun(t, { direct: true });
    await reachRun(harness, t, id, ({ failure }) => failure !== null);
    const cancelled = await t.studio.runs.cancel({ id });
    expect(cancelled).toMatchObject({ state: 'cancelled', cancelled: 3 });
    const items = await t.studio.items.list({ projectUid: t.projectUid });
    expect(items.map(({ state }) => state)).toEqual(['draft', 'draft', 'draft']);
    expect(harness.service.calls.filter((call) => call.startsWith('DELETE'))).toEqual([]);
  });
});
