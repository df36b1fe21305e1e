import { describe, expect, it } from 'vitest';
import { parseInscription, parseTx } from '../../../chain/index.ts';
import { MintHarness } from '../test-support/mint-harness.ts';
import { openCollection, reachRun, startRun } from '../test-support/run-harness.ts';

const harness = MintHarness.forTests();

describe('a service that inscribes the base64 text of a file', () => {
  it('is noticed: nothing is signed, and the run pauses with the reason', async () => {
    const t = await openCollection(harness, 2);
    harness.service.inscribesText = true;
    const id = await startRun(t);
    const paused = await reachRun(harness, t, id, ({ state }) => state === 'paused');
    expect(paused.failure).toMatchObject({ code: 'review-failed', hint: expect.stringContaining('base64Content') });
    expect(paused.failure?.message).toMatch(/letters in place of the art/);
    expect(harness.minted()).toEqual([]);
  });

  it('does not stop a direct run of the same drafts', async () => {
    const t = await openCollection(harness, 2);
    harness.service.inscribesText = true;
    const first = await startRun(t);
    await reachRun(harness, t, first, ({ state }) => state === 'paused');
    await t.studio.runs.cancel({ id: first });
    const id = await startRun(t, { direct: true });
    expect(await reachRun(harness, t, id, ({ state }) => state === 'done')).toMatchObject({ minted: 3, failed: 0 });
    const contents = harness
      .minted()
      .flatMap(({ outputs }) => outputs.flatMap(({ script }) => parseInscription(script)?.content ?? []));
    expect(contents.map((content) => Buffer.from(content.subarray(0, 4)).toString('hex'))).toEqual(
      contents.map(() => '89504e47'),
    );
  });

  it('is minted if the setting allows it, within a plan for the longer text, and the review reports it', async () => {
    const t = await openCollection(harness, 2, { settings: { base64Content: 'accept' } });
    harness.service.inscribesText = true;
    const id = await startRun(t);
    const done = await reachRun(harness, t, id, ({ state }) => state === 'done');
    expect(done).toMatchObject({ minted: 3, failed: 0, failure: null });
    expect(done.fee).toBeLessThanOrEqual(done.plannedFee);
    const { items } = await t.studio.runs.items({ id, offset: 0, limit: 10 });
    for (const { jobId } of items) {
      const { review } = await t.studio.mint.get({ id: jobId });
      expect(review?.checks.find(({ id: check }) => check === 'base64-content')).toMatchObject({ passed: true });
    }
    const contents = [...harness.service.chain.transactions.values()]
      .flatMap((raw) => parseTx(raw).outputs.flatMap(({ script }) => parseInscription(script)?.content ?? []))
      .map((content) => Buffer.from(content).toString('latin1').slice(0, 5));
    expect(contents).toEqual(['iVBOR', 'iVBOR', 'iVBOR']);
  });
});
