import { describe, expect, it } from 'vitest';
import { OWN_ADDRESS } from '../test-support/file-wallet.ts';
import { MintHarness } from '../test-support/mint-harness.ts';
import { openCollection, reachRun, smallBatches, startRun } from '../test-support/run-harness.ts';
import { withinPolicy } from './policy.ts';

const harness = MintHarness.forTests();
const large = { minTokens: 25, maxTokens: 250, maxContentBytes: 2_000_000 };
const plan = async (options: Parameters<typeof openCollection>[2], items = 5) => {
  const t = await openCollection(harness, items, { runLimits: large, ...options });
  return { t, plan: await t.studio.runs.plan({ projectUid: t.projectUid, destination: OWN_ADDRESS }) };
};

describe('the policy of a miner', () => {
  it('bounds the bytes of each transaction, and the plan shows it', async () => {
    const maxTxBytes = 2_000;
    const { t, plan: made } = await plan({ policy: { maxTxBytes } });
    expect(made.policy).toEqual({ maxTxBytes, maxSigops: null, maxAncestors: null });
    expect(made.problems).toEqual([]);
    expect(Math.max(...made.transactions.map(({ size }) => size))).toBeLessThanOrEqual(maxTxBytes);
    expect(made.transactionCount).toBeGreaterThan(2);
    const id = await startRun(t);
    const done = await reachRun(harness, t, id, ({ state }) => state === 'done');
    expect(done).toMatchObject({ minted: 6, failed: 0 });
    const sizes = [...harness.service.chain.transactions.values()].map((raw) => raw.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxTxBytes);
  });

  it('bounds the signature operations: one for each token and one for the change', async () => {
    const { plan: made } = await plan({ policy: { maxSigops: 3 } }, 3);
    expect(made.transactions.map(({ tokens }) => tokens)).toEqual([1, 2, 1]);
    expect(made.problems).toMatchObject([{ code: 'invalid-input', message: expect.stringContaining('3 coins') }]);
  });

  it('names a token that fits into no transaction, before the first byte is sent', async () => {
    const { plan: made } = await plan({ policy: { maxTxBytes: 500 } }, 1);
    expect(made.problems).toMatchObject([{ code: 'file-too-large', message: expect.stringContaining('Moon 0') }]);
    expect(harness.service.outputs.size).toBe(0);
  });

  it.each([
    ['by its size', { maxTxBytes: 200 }, undefined, 'at most 200 bytes'],
    ['by its fee', {}, { satoshis: 900, bytes: 1_000 }, 'asks least'],
  ])('keeps money from being divided that no miner takes any more, %s', async (_, limits, price, reason) => {
    const policy: { maxTxBytes?: number } = { maxTxBytes: 2_000 };
    const t = await openCollection(harness, 5, { policy });
    const { studio, wallet } = t;
    const request = { projectUid: t.projectUid, destination: OWN_ADDRESS, idempotencyKey: 'one' };
    const { id, digest } = await studio.runs.create(request);
    Object.assign(policy, limits);
    if (price) t.quote(price);
    await studio.runs.approve({ id, digest });
    const paused = await reachRun(harness, t, id, ({ failure }) => failure !== null);
    expect(paused).toMatchObject({ state: 'paused', splitTxid: null, failure: { id: 'merchant.over-limits' } });
    expect(paused.failure?.message).toContain(reason);
    expect(harness.service.count(/miner\/submit/)).toBe(0);
    expect(wallet.reservations()).toEqual([]);
    policy.maxTxBytes = 2_000;
    t.quote({ satoshis: 500, bytes: 1_000 });
    await studio.runs.resume({ id });
    expect(await reachRun(harness, t, id, ({ state }) => state === 'done')).toMatchObject({ minted: 6, failed: 0 });
  });

  it('sets no limit where the miner names none', () => {
    expect(withinPolicy(smallBatches, {})).toEqual(smallBatches);
    expect(withinPolicy(large, { maxSigops: 1 })).toEqual({ ...large, minTokens: 1, maxTokens: 1 });
  });
});
