import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { inscriptionScript, toHex } from '../../../chain/index.ts';
import type { MintJob } from '../../../contract/index.ts';
import { HALF, longestShare } from '../../test-support/longest-turn.ts';
import { studioMigrations } from '../tables.ts';
import { OWN_HASH } from '../test-support/file-wallet.ts';
import { MintHarness, mint, reach } from '../test-support/mint-harness.ts';
import { until } from '../test-support/until.ts';

const harness = MintHarness.forTests();

const encoder = new TextEncoder();

/** An answer of the token service, made before anything is measured. */
function answer(data: unknown): Buffer {
  return Buffer.from(JSON.stringify({ success: true, data }));
}

function transactionWith(outputs: number): Buffer {
  const token = inscriptionScript({
    pubKeyHash: OWN_HASH,
    contentType: 'image/png',
    content: encoder.encode('x'),
    map: { app: 'x', type: 'ord', name: 'a token nobody asked for' },
  });
  const output = { satoshis: 1, script: toHex(token) };
  const txObj = { version: 1, inputs: [], outputs: Array.from({ length: outputs }, () => output), nLockTime: 0 };
  return answer({ transactionUid: randomUUID(), txObj });
}

/** A transaction of empty outputs: many of them fit into few bytes. */
function smallOutputs(outputs: number): Buffer {
  const txObj = { version: 1, inputs: [], outputs: Array.from({ length: outputs }, () => ({})), nLockTime: 0 };
  return answer({ transactionUid: randomUUID(), txObj });
}

describe('a token service that answers with far more than was asked for', () => {
  it.each([
    ['50,000 outputs', transactionWith(50_000)],
    ['50,000 small outputs', smallOutputs(50_000)],
    ['3,000 small outputs, which fit into the limits of a reply', smallOutputs(3_000)],
  ])('%s: the job stops with a short reason, and nothing of the answer is kept', async (_, body) => {
    const t = await harness.ready(2);
    let job: MintJob | undefined;
    const share = await longestShare(async () => {
      harness.service.fault(/create-transaction/, body, { times: 10 });
      const { id } = await mint(t, t.itemIds);
      job = await reach(t, id, ({ failure }) => failure !== null);
    }, 1);
    expect(share).toBeLessThan(HALF);
    expect(job).toMatchObject({ state: 'uploaded', active: false, review: null, failure: { code: 'review-failed' } });
    expect(job?.failure?.message).toMatch(/than the transaction that was asked for|3,000 outputs instead of at most 3/);
    await until(
      () => t.wallet.reservations(),
      (held) => held.length === 0,
    );
    const id = job?.id as string;
    expect(JSON.stringify(job).length).toBeLessThan(3_000);
    expect(JSON.stringify(t.studio.recentJobs()).length).toBeLessThan(3_000);
    const stored = await t.store.db.selectFrom('studio_job_transactions').selectAll().executeTakeFirstOrThrow();
    expect(stored.tx_obj).toBeNull();
    for (const event of t.events) expect(JSON.stringify(event).length).toBeLessThan(3_000);

    harness.service.faults.length = 0;
    await t.studio.mint.retry({ id });
    expect((await reach(t, id, ({ awaitingApproval }) => awaitingApproval)).review?.ok).toBe(true);
  });

  it('a list of 50,000 outputs is refused before it is read, and asked for again later', async () => {
    const t = await harness.ready(1);
    const output = { uid: randomUUID(), transactionUid: null, txId: null, metadata: { name: 'a', type: 'ord' } };
    const list = answer({ outputList: Array.from({ length: 50_000 }, () => output) });
    harness.service.fault(/create-output/, 'lost');
    harness.service.fault(/by-project/, list);
    const share = await longestShare(async () => {
      const { id } = await mint(t, t.itemIds);
      await reach(t, id, ({ failure }) => failure?.message.includes('a reply over the size limit') === true);
      await reach(t, id, ({ awaitingApproval }) => awaitingApproval);
    }, 1);
    expect(share).toBeLessThan(HALF);
  });

  it('a list of 10,000 outputs is read without holding the loop', async () => {
    const t = await harness.ready(1);
    const metadata = { name: 'Moon', type: 'ord', subType: 'single', description: 'a picture', eyes: 'green' };
    const offChainData = { b64FileHash: 'a'.repeat(64), b64FileSize: 1_000, contentType: 'image/png' };
    const outputs = Array.from({ length: 10_000 }, () => ({
      ...{ uid: randomUUID(), transactionUid: null, txId: null, type: 'token', createdAt: '2026-11-20', metadata },
      offChainData,
    }));
    harness.service.fault(/create-output/, 'lost');
    harness.service.fault(/by-project/, answer({ outputList: outputs }));
    const share = await longestShare(async () => {
      const { id } = await mint(t, t.itemIds);
      await reach(t, id, ({ awaitingApproval }) => awaitingApproval);
    }, 1);
    expect(share).toBeLessThan(HALF);
  });
});

describe('jobs that an earlier version kept with all of such an answer', () => {
  it('lose their review, stay stopped with the reason, and can be tried again', async () => {
    const t = await harness.ready(1);
    harness.service.tamper = (txObj) => ({ ...txObj, outputs: txObj.outputs.toReversed(), changeIndex: undefined });
    const { id } = await mint(t, t.itemIds);
    const failed = await reach(t, id, ({ failure, active }) => failure !== null && !active);
    expect(failed).toMatchObject({ state: 'built', failure: { code: 'review-failed' } });
    const output = { index: 0, satoshis: 1, kind: 'unknown', address: 'a'.repeat(34), itemId: null };
    const review = { ...failed.review, outputs: Array.from({ length: 50_000 }, () => output) };
    const { db } = t.store;
    await db
      .updateTable('studio_jobs')
      .set({ review: JSON.stringify(review) })
      .execute();
    await studioMigrations.find(({ name }) => name === 'studio-0002-bounded-reviews')?.up(db);
    await harness.close();
    const again = await harness.start();
    const [job] = again.studio.jobs();
    expect(job).toMatchObject({ id, review: null, active: false, failure: { code: 'review-failed' } });
    harness.service.tamper = (txObj) => txObj;
    await again.studio.mint.retry({ id });
    expect((await reach(again, id, ({ awaitingApproval }) => awaitingApproval)).review?.ok).toBe(true);
  });
});

describe('many jobs', () => {
  it('are listed in pages, and a snapshot holds the newest and the unfinished', async () => {
    const t = await harness.ready(0);
    const now = 1_700_000_000_000;
    const rows = Array.from({ length: 700 }, (_, i) => ({
      ...{ id: `job-${String(i).padStart(4, '0')}`, network: 'sandbox', project_uid: t.project.uid, destination: 'a' },
      ...{
        idempotency_key: `key ${i}`,
        state: i === 3 ? 'reviewed' : 'cancelled',
        halted: 0,
        build_intent: 0,
        builds: 0,
        direct: 0,
      },
      ...{ review: null, created_at: now + i, updated_at: now + i },
    }));
    for (let at = 0; at < rows.length; at += 100) {
      await t.store.db
        .insertInto('studio_jobs')
        .values(rows.slice(at, at + 100))
        .execute();
    }
    await harness.close();
    const { studio } = await harness.start();
    const seen: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await studio.mint.list({ limit: 200, after });
      expect(page.jobs.length).toBeLessThanOrEqual(200);
      seen.push(...page.jobs.map(({ id }) => id));
      if (page.next === null) break;
      after = page.next;
    }
    expect(seen).toEqual(rows.map(({ id }) => id).toReversed());
    await expect(studio.mint.list({ limit: 1, after: 'none' })).rejects.toMatchObject({ code: 'not-found' });
    const recent = studio.recentJobs();
    expect(recent).toHaveLength(101);
    expect(recent.at(-1)).toMatchObject({ id: 'job-0003', awaitingApproval: true });
    expect(recent[0]).not.toHaveProperty('review');
  });
});
