import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseTx } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { FileWallet } from '../test-support/file-wallet.ts';
import { approved, MintHarness, mint, png, reach } from '../test-support/mint-harness.ts';
import { addItem, type TestStudio } from '../test-support/test-studio.ts';
import { until } from '../test-support/until.ts';
import { JobTransactions } from './job-transactions.ts';

const harness = MintHarness.forTests();

describe('a mint that is cancelled', () => {
  it('after its transaction was refused and lost loses its failure, and its items are drafts again', async () => {
    const t = await harness.ready(2);
    const forget = vi.spyOn(t.wallet, 'forget');
    harness.service.fault(/POST .*\/submit/, 400, { message: 'tx rejected: not enough fees' });
    const id = await approved(t, t.itemIds);
    const { txid, review } = await reach(t, id, ({ failure }) => failure !== null);
    const approve = (digest: string) => t.studio.mint.approve({ id, digest });
    expect(await approve(review?.digest as string)).toMatchObject({ id, state: 'signed' });
    await expect(approve('ab'.repeat(32))).rejects.toMatchObject({ id: 'mint.not-waiting' });
    for (let times = 0; times < 2; times++)
      expect(await t.studio.mint.cancel({ id })).toMatchObject({ state: 'cancelled', failure: null });
    expect(forget.mock.calls).toEqual([[txid]]);
    expect(t.wallet.reservations()).toEqual([]);
    const items = await t.studio.items.list({ projectUid: t.project.uid });
    expect(items.map(({ state, jobId }) => [state, jobId])).toEqual([
      ['draft', null],
      ['draft', null],
    ]);
  });

  it('a second time leaves its items to the mint that has them since, and cannot be approved', async () => {
    const t = await harness.ready();
    const { id } = await mint(t, t.itemIds);
    const { review } = await reach(t, id, ({ awaitingApproval }) => awaitingApproval);
    await t.studio.mint.cancel({ id });
    const next = await mint(t, t.itemIds);
    await reach(t, next.id, ({ awaitingApproval }) => awaitingApproval);
    await t.studio.mint.cancel({ id });
    expect(await t.studio.items.list({ projectUid: t.project.uid })).toMatchObject([{ jobId: next.id }]);
    const approve = t.studio.mint.approve({ id, digest: review?.digest as string });
    await expect(approve).rejects.toMatchObject({ id: 'mint.not-waiting' });
  });

  it('while a call hangs ends that call', { timeout: 25_000 }, async () => {
    const t = await harness.ready();
    harness.service.fault(/create-output/, 'hang');
    const { id } = await mint(t, t.itemIds);
    await until(
      () => harness.service.count(/create-output/),
      (count) => count === 1,
    );
    expect(await t.studio.mint.cancel({ id })).toMatchObject({ state: 'cancelled', failure: null });
  });
});

it('commands for an unknown mint are refused, and start no work', async () => {
  const t = await harness.ready();
  const [id, digest] = ['no such mint', 'ab'.repeat(32)];
  for (const command of [t.studio.mint.get, t.studio.mint.approve, t.studio.mint.cancel, t.studio.mint.retry])
    await expect(command.call(t.studio.mint, { id, digest })).rejects.toMatchObject({ id: 'mint.missing' });
  await expect(t.studio.mint.refuse(id, new PlanchetError('mint.missing'))).rejects.toMatchObject({
    id: 'mint.missing',
  });
});

describe('a mint that waits for its approval', () => {
  it('is not changed by the approval of another transaction, nor by a retry', async () => {
    const t = await harness.ready();
    const { id } = await mint(t, t.itemIds);
    const waiting = await reach(t, id, ({ awaitingApproval }) => awaitingApproval);
    const other = t.studio.mint.approve({ id, digest: 'ab'.repeat(32) });
    await expect(other).rejects.toMatchObject({ id: 'mint.other-transaction-approved' });
    await expect(t.studio.mint.retry({ id })).rejects.toMatchObject({ id: 'mint.nothing-failed' });
    expect(t.studio.jobs().find((job) => job.id === id)).toEqual(waiting);
  });
});

describe('a mint that is signed', () => {
  it('is not cancelled before its miner has answered, who may accept it at any moment', async () => {
    const clock = new StillClock(Date.parse('2026-11-22T12:00:00Z'));
    const t = await harness.ready(1, { clock });
    harness.service.fault(/POST .*\/submit/, 503, { times: 100 });
    const id = await approved(t, t.itemIds);
    await reach(t, id, ({ failure }) => {
      // The network is asked a few times whether it has it.
      if (failure === null) clock.advance(500);
      return failure !== null;
    });
    const held = t.wallet.reservations();
    expect(held).not.toEqual([]);
    await expect(t.studio.mint.cancel({ id })).rejects.toMatchObject({ id: 'mint.already-signed' });
    expect(t.wallet.reservations()).toEqual(held);
  });

  it('keeps its coins where it stopped for another reason than a refusal', async () => {
    const t = await harness.ready();
    harness.service.fault(/POST .*\/submit/, 401, { times: 100 });
    const id = await approved(t, t.itemIds);
    const job = await reach(t, id, ({ failure }) => failure !== null);
    expect(job).toMatchObject({ state: 'signed', active: false, failure: { code: 'unauthorized' } });
    expect(t.wallet.reservations()).not.toEqual([]);
  });
});

describe('a cancelled mint that a block holds after all', () => {
  /** A mint was refused by a party that kept its bytes; another mint of the same tokens waits for its approval. */
  async function replaced() {
    const t = await harness.ready(2);
    harness.service.fault(/POST .*\/submit/, 400, { message: 'tx rejected: not enough fees' });
    const id = await approved(t, t.itemIds);
    const { txid } = await reach(t, id, ({ failure }) => failure !== null);
    const raw = await new JobTransactions(t.store).signed(id);
    await t.studio.mint.cancel({ id });
    const other = await mint(t, t.itemIds);
    await reach(t, other.id, ({ awaitingApproval }) => awaitingApproval);
    const bringOut = () => {
      expect(harness.service.chain.accept(raw)).toBe(txid);
      harness.service.chain.mine();
    };
    return { t, id, other: other.id, bringOut };
  }

  it('goes on until its tokens are proven, and the mint that was to replace it ends', async () => {
    const { t, id, other, bringOut } = await replaced();
    bringOut();
    t.tip.announce();
    const ended = await reach(t, other, ({ state }) => state === 'cancelled');
    expect(ended).toMatchObject({ active: false, failure: { id: 'mint.minted-after-all' } });
    expect(await reach(t, id, ({ state }) => state === 'proven')).toMatchObject({ failure: null });
    expect(t.wallet.reservations()).toEqual([]);
    const items = await t.studio.items.list({ projectUid: t.project.uid });
    expect(items.map(({ state, jobId }) => [state, jobId])).toEqual([
      ['proven', id],
      ['proven', id],
    ]);
    const told = t.events.flatMap((event) => (event.type === 'job' ? [`${event.job.id} ${event.job.state}`] : []));
    for (const state of ['cancelled', 'seen', 'mined', 'proven']) expect(told).toContain(`${id} ${state}`);
    expect(harness.minted()).toHaveLength(1);
  });

  it('is found at the next start, and aborts the hanging call of the mint that was to replace it', {
    timeout: 25_000,
  }, async () => {
    const { t, id, other, bringOut } = await replaced();
    await t.studio.mint.cancel({ id: other });
    harness.service.fault(/create-output|create-transaction/, 'hang', { times: 9 });
    const hanging = await mint(t, t.itemIds);
    const calls = harness.service.count(/create-/);
    await until(
      () => harness.service.count(/create-/),
      (count) => count > calls,
    );
    bringOut();
    await harness.close();
    const again = await harness.start();
    expect(await reach(again, id, ({ state }) => state === 'proven')).toMatchObject({ failure: null });
    await reach(again, hanging.id, ({ state }) => state === 'cancelled');
    expect(again.wallet.reservations()).toEqual([]);
  });

  /** Mints a token of its own, which is refused by a party that keeps its bytes, and cancels it. */
  async function refused(t: TestStudio, itemIds: string[]) {
    harness.service.fault(/POST .*\/submit/, 400, { message: 'tx rejected: not enough fees' });
    const id = await approved(t, itemIds);
    await reach(t, id, ({ failure }) => failure !== null);
    const raw = await new JobTransactions(t.store).signed(id);
    await t.studio.mint.cancel({ id });
    return { id, raw };
  }

  it.each([
    ['is brought back', false, [0, 1]],
    ['is left out if the bin was emptied', true, [1]],
  ] as const)('goes on though one of its drafts was removed, which %s', async (_, isEmptied, vouts) => {
    const t = await harness.ready(2);
    const projectUid = t.project.uid;
    const { id, raw } = await refused(t, t.itemIds);
    await t.studio.items.remove({ ids: t.itemIds.slice(0, 1) });
    if (isEmptied) await t.studio.items.history.emptyBin({ projectUid });
    const txid = harness.service.chain.accept(raw);
    harness.service.chain.mine();
    t.tip.announce();
    expect(await reach(t, id, ({ state }) => state === 'proven')).toMatchObject({ failure: null });
    const items = await t.studio.items.list({ projectUid });
    expect(items.map((item) => [item.id, item.state, item.jobId, item.outpoint])).toEqual(
      vouts.map((vout) => [t.itemIds[vout], 'proven', id, `${txid}_${vout}`]),
    );
    harness.service.chain.reorg(1, { drop: true });
    t.tip.announce();
    await reach(t, id, ({ failure }) => failure?.id === 'mint.transaction-lost');
    expect(await t.studio.mint.cancel({ id })).toMatchObject({ state: 'cancelled', failure: null });
  });

  it('has tokens that tell what was minted, though their drafts were changed since', async () => {
    const t = await harness.ready(2);
    const projectUid = t.project.uid;
    const [first, second] = await t.studio.items.list({ projectUid });
    const { id, raw } = await refused(t, t.itemIds);
    const { sha256 } = (await addItem(t, projectUid, png('another picture'), 'Other', 'other.png')).file;
    const changes = t.itemIds.map((itemId) => ({ id: itemId, sha256, fileName: 'other.png' }));
    await t.studio.items.replaceFiles({ changes, keepsOriginal: false });
    const metadata = { name: 'Renamed', description: 'Later', traits: [{ name: 'mouth', value: 'open' }] };
    await t.studio.items.update({ id: t.itemIds[1] as string, metadata });
    // A content that nothing uses is removed in the end.
    const removed = join(harness.filesFolder, second?.file.sha256 as string);
    await rm(removed);
    harness.service.chain.accept(raw);
    harness.service.chain.mine();
    t.tip.announce();
    await reach(t, id, ({ state }) => state === 'proven');
    const [one, two] = await t.studio.items.list({ projectUid });
    expect([one?.file, one?.metadata]).toEqual([first?.file, first?.metadata]);
    expect([two?.file, two?.metadata]).toEqual([{ ...second?.file, name: 'other.png' }, second?.metadata]);
    expect(await readFile(removed)).toEqual(Buffer.from(png('picture 1')));
  });

  it('goes on though another one cannot', async () => {
    const t = await harness.ready(2);
    const mints = [];
    for (const itemId of t.itemIds) {
      const one = await refused(t, [itemId]);
      mints.push(one);
      await t.wallet.hold('another', parseTx(one.raw).inputs);
    }
    const [earlier, later] = mints as [(typeof mints)[0], (typeof mints)[0]];
    for (const { raw } of mints) harness.service.chain.accept(raw);
    harness.service.chain.mine();
    await harness.close();
    const { observe } = FileWallet.prototype;
    const spy = vi.spyOn(FileWallet.prototype, 'observe').mockImplementation(function (this: FileWallet, raw) {
      return Buffer.compare(raw, later.raw) === 0 ? Promise.reject(new Error('no space')) : observe.call(this, raw);
    });
    onTestFinished(() => spy.mockRestore());
    const again = await harness.start();
    await reach(again, earlier.id, ({ state }) => state === 'proven');
    expect(again.studio.jobs().find(({ id }) => id === later.id)?.state).toBe('cancelled');
  });
});
