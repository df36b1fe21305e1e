import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { TxObj } from '../../../chain/index.ts';
import type { MintJob } from '../../../contract/index.ts';
import { OTHER_ADDRESS, OWN_ADDRESS, OWN_SCRIPT } from '../test-support/file-wallet.ts';
import { approved, MintHarness, mint, png, reach } from '../test-support/mint-harness.ts';
import { addItem } from '../test-support/test-studio.ts';
import { until } from '../test-support/until.ts';
import { JobTransactions } from './job-transactions.ts';

const harness = MintHarness.forTests();

describe('a mint', () => {
  it('goes from drafts to proven tokens', async () => {
    const t = await harness.ready(2);
    const { id } = await mint(t, t.itemIds, OTHER_ADDRESS);
    const waiting = await reach(t, id, (job) => job.awaitingApproval);
    expect(waiting).toMatchObject({ state: 'reviewed', active: false, txid: null });
    expect(waiting.review?.ok).toBe(true);
    const signed = await t.studio.mint.approve({ id, digest: waiting.review?.digest as string });
    expect(signed.state).toBe('signed');
    const seen = await reach(t, id, (job) => job.state === 'seen');
    expect(seen.active).toBe(true);
    harness.service.chain.mine();
    t.tip.announce();
    const job = await reach(t, id, (j) => j.state === 'proven');
    expect(job.history.map(({ state }) => state)).toEqual([
      ...['draft', 'uploaded', 'built', 'reviewed', 'signed', 'submitted', 'seen', 'mined', 'proven'],
    ]);
    expect(job).toMatchObject({
      active: false,
      failure: null,
      blockHeight: harness.service.chain.heightOf(job.txid as string),
    });
    expect(job.proof?.blockHash).toBe(job.blockHash);

    const items = await t.studio.items.list({ projectUid: t.project.uid });
    expect(items.map(({ outpoint, state }) => [outpoint, state])).toEqual([
      [`${job.txid}_0`, 'proven'],
      [`${job.txid}_1`, 'proven'],
    ]);
    const view = await t.studio.transactions.get({ txid: job.txid as string });
    expect(view.fee).toBe(job.fee);
    expect(view.blockHeight).toBe(job.blockHeight);
    expect(view.outputs[1]?.inscription).toMatchObject({
      contentType: 'image/png',
      sha256: createHash('sha256').update(png('picture 1')).digest('hex'),
      metadata: { name: 'Token 1', type: 'ord', subType: 'single', eyes: 'green', description: 'Token 1' },
    });
    expect(view.outputs[1]?.address).toBe(OTHER_ADDRESS);
    expect((await t.studio.newestTokens(10)).map(({ name }) => name)).toEqual(['Token 0', 'Token 1']);
    expect(await t.studio.projects.get({ uid: t.project.uid })).toMatchObject({ itemCount: 2, mintedCount: 2 });
    expect(t.wallet.reservations()).toEqual([]);
    await until(() => t.events.some((event) => event.type === 'quota'), Boolean);
  });

  it('gives the same job for the same idempotency key, and refuses the key for another mint', async () => {
    const t = await harness.ready(2);
    const request = { itemIds: [t.itemIds[0] as string], destination: OWN_ADDRESS, idempotencyKey: 'one-key-only' };
    const [first, second] = await Promise.all([t.studio.mint.create(request), t.studio.mint.create(request)]);
    expect(second.id).toBe(first.id);
    await expect(t.studio.mint.create({ ...request, itemIds: t.itemIds })).rejects.toMatchObject({ code: 'conflict' });
    await expect(mint(t, [t.itemIds[0] as string])).rejects.toMatchObject({ code: 'conflict' });
    expect(t.studio.jobs()).toHaveLength(1);
  });

  it('is named by the first of its tokens, after a restart as well', async () => {
    const t = await harness.ready(5);
    await reach(t, await approved(t, t.itemIds), (job) => job.state === 'seen');
    const named = () => t.studio.jobs().map(({ art }) => art.map(({ name, file }) => [name, file.contentType]));
    const expected = [['Token 0', 'Token 1', 'Token 2'].map((name) => [name, 'image/png'])];
    expect(named()).toEqual(expected);
    await harness.close();
    const again = await harness.start();
    expect(again.studio.jobs().map(({ art }) => art.map(({ name, file }) => [name, file.contentType]))).toEqual(
      expected,
    );
  });

  it('signs only the approved transaction', async () => {
    const t = await harness.ready();
    const { id } = await mint(t, t.itemIds);
    await reach(t, id, (job) => job.awaitingApproval);
    await expect(t.studio.mint.approve({ id, digest: '0'.repeat(64) })).rejects.toMatchObject({ code: 'conflict' });
    expect(t.studio.jobs()[0]).toMatchObject({ state: 'reviewed', awaitingApproval: true });
    expect(harness.service.count(/submit/)).toBe(0);
  });

  it('stops before signing if no decoder opens one of its pictures', async () => {
    const t = await harness.ready(0);
    const { id: itemId } = await addItem(t, t.project.uid, Buffer.from('no picture at all'), 'Broken', 'broken.png');
    const { id } = await mint(t, [itemId]);
    const failed = await reach(t, id, (job) => job.failure !== null);
    expect(failed).toMatchObject({
      state: 'built',
      active: false,
      failure: { code: 'review-failed', id: 'mint.picture-unreadable' },
    });
    expect(failed.failure?.message).toContain('“Broken”, says it is image/png, but no decoder opens its file.');
    expect(failed.review?.checks.filter(({ passed }) => !passed).map(({ id }) => id)).toEqual(['pictures']);
    expect(harness.minted()).toEqual([]);
  });

  it('stops if the service builds something else, releases the coins, and builds again on a retry', async () => {
    const t = await harness.ready();
    harness.service.tamper = (txObj) => {
      const outputs = txObj.outputs.map((output, i) =>
        i === 1 ? { ...output, satoshis: output.satoshis - 40_000 } : output,
      );
      return { ...txObj, outputs, hash: undefined } as unknown as TxObj;
    };
    const { id } = await mint(t, t.itemIds);
    const failed = await reach(t, id, (job) => job.failure !== null);
    expect(failed).toMatchObject({ state: 'built', active: false, failure: { code: 'review-failed' } });
    expect(failed.failure?.message).toMatch(/more than 2 times/);
    expect(failed.review?.ok).toBe(false);
    await until(
      () => t.wallet.reservations(),
      (held) => held.length === 0,
    );

    harness.service.tamper = (txObj) => txObj;
    await t.studio.mint.retry({ id });
    const again = await reach(t, id, (job) => job.awaitingApproval);
    expect(again.failure).toBeNull();
    await t.studio.mint.approve({ id, digest: again.review?.digest as string });
    await reach(t, id, (job) => job.state === 'seen');
    expect(harness.minted()).toHaveLength(1);
  });

  it('can be cancelled until it is signed, leaving drafts, coins and no outputs', async () => {
    const t = await harness.ready(2);
    harness.service.fault(/create-transaction/, 503, { times: 100 });
    const { id } = await mint(t, t.itemIds);
    const stuck = await reach(t, id, (job) => job.failure !== null);
    expect(stuck).toMatchObject({ state: 'uploaded', active: true, failure: { code: 'upstream-error' } });
    expect(harness.service.outputs.size).toBe(2);
    expect((await t.studio.mint.cancel({ id })).state).toBe('cancelled');
    expect(harness.service.outputs.size).toBe(0);
    expect(t.wallet.reservations()).toEqual([]);
    const items = await t.studio.items.list({ projectUid: t.project.uid });
    expect(items.map(({ state, jobId }) => [state, jobId])).toEqual([
      ['draft', null],
      ['draft', null],
    ]);

    harness.service.faults.length = 0;
    const second = await approved(t, t.itemIds);
    await expect(t.studio.mint.cancel({ id: second })).rejects.toMatchObject({ code: 'conflict' });
    await reach(t, second, (job) => job.state === 'seen');
  });

  it('keeps waiting for an approval while the wallet cannot sign', async () => {
    const t = await harness.ready();
    const { id } = await mint(t, t.itemIds);
    const { review } = await reach(t, id, (job) => job.awaitingApproval);
    t.wallet.locked = true;
    await expect(t.studio.mint.approve({ id, digest: review?.digest as string })).rejects.toMatchObject({
      code: 'vault-locked',
    });
    expect(t.studio.jobs()[0]).toMatchObject({
      state: 'reviewed',
      awaitingApproval: true,
      failure: { code: 'vault-locked' },
      // It is not tried again automatically.
      retryAt: null,
    });
    t.wallet.locked = false;
    await t.studio.mint.approve({ id, digest: review?.digest as string });
    await reach(t, id, (job) => job.state === 'seen' && job.failure === null);
  });

  it('signs nothing later if an approval could not be carried out', async () => {
    const t = await harness.ready();
    const { id } = await mint(t, t.itemIds);
    const { review } = await reach(t, id, (job) => job.awaitingApproval);
    const call = harness.service.chain.call.bind(harness.service.chain);
    harness.service.chain.call = () => {
      throw new Error('the node is ill');
    };
    const approve = () => t.studio.mint.approve({ id, digest: review?.digest as string });
    await expect(approve()).rejects.toMatchObject({ code: 'upstream-error' });
    harness.service.chain.call = call;
    expect(t.studio.jobs()[0]).toMatchObject({ state: 'reviewed', awaitingApproval: true, txid: null });
    // After a retry it is still the transaction that was reviewed.
    expect(await t.studio.mint.retry({ id })).toMatchObject({ state: 'reviewed', failure: null, review });
    expect((await approve()).state).toBe('signed');
  });

  it('checks the coins again before it signs', async () => {
    const t = await harness.ready();
    const { id } = await mint(t, t.itemIds);
    const { review } = await reach(t, id, (job) => job.awaitingApproval);
    const { transactions } = harness.service.chain;
    const spent = (review?.inputs ?? []).map(({ txid }) => [txid, transactions.get(txid) as Uint8Array] as const);
    for (const [txid] of spent) transactions.delete(txid);
    await expect(t.studio.mint.approve({ id, digest: review?.digest as string })).rejects.toMatchObject({
      code: 'review-failed',
    });
    expect(t.studio.jobs()[0]).toMatchObject({ state: 'reviewed', active: false, awaitingApproval: false });
    expect(harness.service.count(/submit/)).toBe(0);
    // A transaction that a review refused is built again.
    for (const [txid, raw] of spent) transactions.set(txid, raw);
    await t.studio.mint.retry({ id });
    const again = await reach(t, id, (job) => job.awaitingApproval);
    expect(again.history.map(({ state }) => state).slice(-4)).toEqual(['reviewed', 'uploaded', 'built', 'reviewed']);
  });
});

describe('a mint whose coins were released after its review', () => {
  it('is built anew with coins of its own, and waits for another approval', async () => {
    const t = await harness.ready();
    const { id } = await mint(t, t.itemIds);
    const { review } = await reach(t, id, (job) => job.awaitingApproval);
    await t.wallet.release(id);
    const taken = review?.inputs.map(({ txid, vout }) => ({ txid, vout })) ?? [];
    await t.wallet.hold('another', taken);
    await t.studio.mint.approve({ id, digest: review?.digest as string });
    const again = await reach(t, id, (job) => job.awaitingApproval);
    expect(again).toMatchObject({ failure: null, txid: null });
    const spent = again.review?.inputs.map(({ txid, vout }) => ({ txid, vout })) ?? [];
    for (const coin of taken) expect(spent).not.toContainEqual(coin);
    await t.studio.mint.approve({ id, digest: again.review?.digest as string });
    await reach(t, id, (job) => job.state === 'seen');
    expect(harness.minted()).toHaveLength(1);
  });
});

describe('a lost answer', () => {
  it.each([
    ['of an upload', /create-output/],
    ['of a build', /create-transaction/],
    ['of a submission', /POST .*\/submit/],
  ])('%s makes no second token', async (_, path) => {
    const t = await harness.ready(2);
    harness.service.fault(path, 'lost');
    const id = await approved(t, t.itemIds);
    await reach(t, id, (job) => job.state === 'seen');
    expect(harness.minted()).toHaveLength(1);
    expect(harness.service.chain.doubleSpends).toEqual([]);
    expect([...harness.service.outputs.values()].filter(({ txId }) => txId !== null)).toHaveLength(2);
    // A lost upload is found again. A lost build used its outputs, which have to be replaced.
    expect(harness.service.outputs.size).toBe(path.source === 'create-transaction' ? 4 : 2);
  });

  it('does not stop the mint: it goes on when the service is back', async () => {
    const t = await harness.ready();
    harness.service.fault(/create-output/, 500, { times: 2 });
    const { id } = await mint(t, t.itemIds);
    const waiting = await reach(t, id, (job) => job.failure !== null);
    expect(waiting).toMatchObject({ active: true, failure: { code: 'upstream-error' } });
    const job = await reach(t, id, ({ awaitingApproval }) => awaitingApproval);
    expect(job.failure).toBeNull();
  });
});

describe('a refusal of a mint', () => {
  it('of the signed transaction fails the job and releases the coins', async () => {
    const t = await harness.ready();
    harness.service.fault(/POST .*\/submit/, 400, { message: 'tx rejected: double spent' });
    const id = await approved(t, t.itemIds);
    const job = await reach(t, id, ({ failure }) => failure !== null);
    expect(job).toMatchObject({ state: 'signed', active: false, failure: { code: 'rejected' } });
    expect(job.failure?.message).toContain('double spent');
    await until(
      () => t.wallet.reservations(),
      (held) => held.length === 0,
    );
    // The same bytes go out again on a retry.
    await t.studio.mint.retry({ id });
    const seen = await reach(t, id, ({ state }) => state === 'seen');
    expect(seen.txid).toBe(job.txid);
    expect(harness.minted()).toHaveLength(1);
  });

  it('is no reason to cancel without asking: the network may have the transaction since', {
    tags: 'long',
  }, async () => {
    const t = await harness.ready();
    harness.service.fault(/POST .*\/submit/, 400, { message: 'tx rejected: not enough fees' });
    const id = await approved(t, t.itemIds);
    const { txid, canCancel } = await reach(t, id, ({ failure }) => failure !== null);
    expect(canCancel).toBe(true);
    // the party that refused it kept it, and sends it now
    expect(harness.service.chain.accept(await new JobTransactions(t.store).signed(id))).toBe(txid);
    await expect(t.studio.mint.cancel({ id })).rejects.toMatchObject({ id: 'mint.already-signed' });
    expect(await t.studio.items.list({ projectUid: t.project.uid })).toMatchObject([{ jobId: id }]);
  });

  it('is not believed where the network has the transaction', async () => {
    const t = await harness.ready();
    harness.service.fault(/POST .*\/submit/, 'lost');
    const id = await approved(t, t.itemIds);
    await reach(t, id, (job) => job.state === 'seen');
    expect(t.studio.jobs()[0]?.failure).toBeNull();
  });

  it('of the key stops the job until it is tried again', async () => {
    const t = await harness.ready();
    harness.service.fault(/create-output/, 401);
    const { id } = await mint(t, t.itemIds);
    const job = await reach(t, id, ({ failure }) => failure !== null);
    expect(job).toMatchObject({ state: 'draft', active: false, failure: { code: 'unauthorized' } });
    await t.studio.mint.retry({ id });
    await reach(t, id, ({ awaitingApproval }) => awaitingApproval);
  });
});

describe('a collection', () => {
  it('is minted before its items, which carry its outpoint', async () => {
    const t = await harness.start();
    t.wallet.add(harness.service.chain.fund(OWN_SCRIPT, [50_000]));
    const project = await t.studio.projects.create({ name: 'Planets', type: 'collection' });
    const cover = await addItem(t, project.uid, png('cover'), 'Planets');
    const item = await addItem(t, project.uid, png('mars'), 'Mars');
    expect([cover.subType, item.subType]).toEqual(['collection', 'collectionItem']);
    await expect(mint(t, [cover.id, item.id])).rejects.toMatchObject({ code: 'conflict', message: /collection token/ });
    await expect(mint(t, [item.id])).rejects.toMatchObject({ code: 'conflict' });
    const first = await approved(t, [cover.id]);
    const collection = await reach(t, first, (job) => job.state === 'seen');
    const second = await approved(t, [item.id]);
    const job = await reach(t, second, ({ state }) => state === 'seen');
    const { outputs } = await t.studio.transactions.get({ txid: job.txid as string });
    expect(JSON.parse(outputs[0]?.inscription?.metadata.subTypeData ?? '')).toEqual({
      collectionId: `${collection.txid}_0`,
      description: 'Mars',
    });
  });
});

describe('stopping the studio', () => {
  it('ends a call that hangs, and the next start goes on', { tags: 'long' }, async () => {
    const t = await harness.ready();
    harness.service.fault(/create-output/, 'hang');
    await mint(t, t.itemIds);
    await until(
      () => harness.service.count(/create-output/),
      (count) => count === 1,
    );
    await t.studio.stop();
    await t.studio.start();
    const job = t.studio.jobs()[0] as MintJob;
    expect(job.failure).toBeNull();
    await reach(t, job.id, ({ awaitingApproval }) => awaitingApproval);
  });
});
