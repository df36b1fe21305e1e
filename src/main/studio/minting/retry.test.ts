import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MintJob } from '../../../contract/index.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { MintHarness, mint, reach } from '../test-support/mint-harness.ts';
import type { TestStudio } from '../test-support/test-studio.ts';

const harness = MintHarness.forTests();
const START = Date.parse('2026-11-22T12:00:00Z');

/** Moves the clock to each next try until the job is as it should be. */
function goOn(t: TestStudio, clock: StillClock, id: string, done: (job: MintJob) => boolean): Promise<MintJob> {
  return reach(t, id, (job) => {
    if (done(job)) return true;
    const left = (job.retryAt ?? 0) - clock.now();
    // between tries a step may wait a moment for the network
    clock.advance(left > 0 ? left : 500);
    return false;
  });
}

/** Milliseconds from each failure of the job to the next try, as published. */
function waitsOf(t: TestStudio): number[] {
  return t.events.flatMap((event) =>
    event.type === 'job' && event.job.retryAt !== null ? [event.job.retryAt - event.job.updatedAt] : [],
  );
}

const steps: [string, RegExp][] = [
  ['the upload of a file', /create-output/],
  ['the build of the transaction', /create-transaction/],
  ['the submission', /POST .*\/submit/],
  ['the fee quote and the status of the miner', /miner\/status/],
  ['the node', /\/rpc/],
];

describe('a mint whose service fails for a while', () => {
  it.each(steps)('goes on by itself: %s answers 503 twice', async (_, path) => {
    const clock = new StillClock(START);
    const t = await harness.ready(2, { clock });
    harness.service.fault(path, 503, { times: 2, message: 'the quota service is down' });
    const { id } = await mint(t, t.itemIds);
    const waiting = await goOn(t, clock, id, ({ awaitingApproval }) => awaitingApproval);
    expect(waiting.retryAt).toBeNull();
    await t.studio.mint.approve({ id, digest: waiting.review?.digest as string });
    await goOn(t, clock, id, ({ state }) => state === 'seen');
    expect(harness.minted()).toHaveLength(1);
    expect(harness.service.faults.every(({ times }) => times === 0)).toBe(true);
    for (const wait of waitsOf(t)) expect([500, 1_000]).toContain(wait);
  });

  it('waits up to a quarter longer, by chance', async () => {
    const clock = new StillClock(START);
    const t = await harness.ready(1, { clock, random: () => 0.5 });
    harness.service.fault(/create-output/, 503, { times: 2 });
    const { id } = await mint(t, t.itemIds);
    await goOn(t, clock, id, ({ active }) => !active);
    expect(waitsOf(t)).toEqual([562.5, 1_125].map(Math.round));
  });

  it('asks again if the node misses a coin for a moment, as in a reorganisation', async () => {
    const clock = new StillClock(START);
    const t = await harness.ready(1, { clock });
    const { chain } = harness.service;
    const answer = chain.call.bind(chain);
    let misses = 2;
    chain.call = (method, params) => (method === 'gettxout' && misses-- > 0 ? null : answer(method, params));
    const { id } = await mint(t, t.itemIds);
    const job = await goOn(t, clock, id, ({ active }) => !active);
    expect(job).toMatchObject({ awaitingApproval: true, failure: null });
    expect(misses).toBeLessThan(0);
  });

  it('goes on if its cancellation could not be written', async () => {
    const clock = new StillClock(START);
    const t = await harness.ready(1, { clock });
    harness.service.fault(/create-output/, 503, { times: 1 });
    const { id } = await mint(t, t.itemIds);
    await reach(t, id, ({ retryAt }) => retryAt !== null && clock.next !== undefined);
    t.store.sqlite.exec(`create temp trigger no_cancel before update on studio_jobs when new.state = 'cancelled'
      begin select raise(abort, 'cannot be written'); end`);
    await expect(t.studio.mint.cancel({ id })).rejects.toThrow();
    t.store.sqlite.exec('drop trigger no_cancel');
    await goOn(t, clock, id, ({ awaitingApproval }) => awaitingApproval);
    expect((await t.studio.mint.cancel({ id })).state).toBe('cancelled');
    expect(t.wallet.reservations()).toEqual([]);
  });

  it('backs off further each time, reports the reason and the next try, and never gives up', async () => {
    const clock = new StillClock(START);
    const t = await harness.ready(1, { clock });
    harness.service.fault(/create-transaction/, 503, { times: 15 });
    const { id } = await mint(t, t.itemIds);
    const first = await reach(t, id, ({ retryAt }) => retryAt !== null);
    expect(first).toMatchObject({ active: true, failure: { code: 'upstream-error' } });
    expect(first.failure?.message).toContain('status 503');
    await goOn(t, clock, id, ({ awaitingApproval }) => awaitingApproval);
    expect(waitsOf(t)).toEqual([
      ...[500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000],
      ...Array<number>(8).fill(60_000),
    ]);
    expect(harness.service.outputs.size).toBe(1);
  });

  it.each([503, 429])(
    'waits as long as Retry-After asks with status %i, and no shorter than its own back-off',
    async (status) => {
      const clock = new StillClock(START);
      const t = await harness.ready(1, { clock });
      harness.service.fault(/create-output/, status, { headers: { 'retry-after': '7' } });
      harness.service.fault(/create-output/, status, { headers: { 'retry-after': '0' } });
      harness.service.fault(/create-output/, status, {
        headers: { 'retry-after': new Date(START + 600_000).toUTCString() },
      });
      const { id } = await mint(t, t.itemIds);
      await goOn(t, clock, id, ({ awaitingApproval }) => awaitingApproval);
      const waits = t.events.flatMap((event) =>
        event.type === 'job' && event.job.retryAt !== null ? [event.job] : [],
      );
      expect(waitsOf(t).slice(0, 2)).toEqual([7_000, 1_000]);
      expect(waits[2]?.retryAt).toBe(START + 600_000);
    },
  );

  it('tries again after connections that break', async () => {
    const clock = new StillClock(START);
    const t = await harness.ready(1, { clock });
    harness.service.fault(/create-output/, 'lost', { times: 2 });
    const { id } = await mint(t, t.itemIds);
    await goOn(t, clock, id, ({ awaitingApproval }) => awaitingApproval);
    expect(waitsOf(t)).toEqual([500]);
    expect(harness.service.outputs.size).toBe(1);
  });

  it('starts even if quota and fee quote are not available at that moment', async () => {
    const clock = new StillClock(START);
    const t = await harness.ready(1, { clock });
    harness.service.fault(/quota/, 503);
    harness.service.fault(/miner\/status/, 503);
    const { id } = await mint(t, t.itemIds);
    await goOn(t, clock, id, ({ awaitingApproval }) => awaitingApproval);
  });

  it('sends only the files that are missing after an interrupted upload, several at a time', async () => {
    const clock = new StillClock(START);
    const t = await harness.ready(30, { clock });
    harness.service.fault(/create-output/, 503, { times: 3 });
    // The first files are answered only when several of them have arrived.
    let release = (): void => {};
    const several = new Promise<void>((resolve) => {
      release = resolve;
    });
    harness.service.before = async (call) => {
      if (!call.includes('create-output')) return;
      if (harness.service.count(/create-output/) === 8) release();
      await several;
    };
    const { id } = await mint(t, t.itemIds);
    await goOn(t, clock, id, ({ awaitingApproval }) => awaitingApproval);
    expect(harness.service.count(/create-output/)).toBe(33);
    expect(harness.service.outputs.size).toBe(30);
    const contents = [...harness.service.outputs.values()].map(({ b64File }) => b64File);
    expect(new Set(contents).size).toBe(30);
  });

  it('sends no file that was damaged on the disk, and goes on when it is whole again', async () => {
    const clock = new StillClock(START);
    const t = await harness.ready(1, { clock });
    const [item] = await t.studio.items.list({ projectUid: t.project.uid });
    const path = join(harness.filesFolder, item?.file.sha256 ?? '');
    const content = readFileSync(path);
    writeFileSync(path, Buffer.from(content).fill(0, 8));
    const { id } = await mint(t, t.itemIds);
    const job = await reach(t, id, ({ failure }) => failure !== null);
    expect(job).toMatchObject({ active: false, failure: { id: 'content.file-damaged' } });
    expect(harness.service.outputs.size).toBe(0);
    writeFileSync(path, content);
    await t.studio.mint.retry({ id });
    await goOn(t, clock, id, ({ awaitingApproval }) => awaitingApproval);
    expect(harness.service.outputs.size).toBe(1);
  });

  it('keeps its coins where the mempool is full, says so with the next try, and goes on when it has room', async () => {
    const clock = new StillClock(START);
    const t = await harness.ready(1, { clock });
    const { id } = await mint(t, t.itemIds);
    const waiting = await goOn(t, clock, id, ({ awaitingApproval }) => awaitingApproval);
    harness.service.fault(/POST .*\/submit/, 400, { times: 2, message: '66 mempool full' });
    await t.studio.mint.approve({ id, digest: waiting.review?.digest as string });
    const full = await goOn(t, clock, id, ({ failure }) => failure !== null);
    expect(full).toMatchObject({ state: 'signed', active: true, failure: { id: 'merchant.refused-full' } });
    expect(full.retryAt).toBeGreaterThan(clock.now());
    expect(t.wallet.reservations()).not.toEqual([]);
    await goOn(t, clock, id, ({ state }) => state === 'seen');
    expect(harness.minted()).toHaveLength(1);
  });

  it('stops at a permanent refusal', async () => {
    const clock = new StillClock(START);
    const t = await harness.ready(1, { clock });
    harness.service.fault(/create-transaction/, 400, { times: 10, message: 'no such thing' });
    const { id } = await mint(t, t.itemIds);
    const job = await reach(t, id, ({ failure }) => failure !== null);
    expect(job).toMatchObject({ active: false, retryAt: null, failure: { code: 'rejected' } });
    // nothing is signed, so only this job could spend them
    await expect.poll(() => t.wallet.reservations()).toEqual([]);
    clock.advance(3_600_000);
    expect(harness.service.count(/create-transaction/)).toBe(1);
    expect(waitsOf(t)).toEqual([]);
  });
});
