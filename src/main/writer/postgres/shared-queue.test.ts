import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestHarness } from '../test-support/harness.ts';
import { PATIENCE_MS, WriterBench, written } from '../test-support/writer-client.ts';

let bench: WriterBench;
beforeEach(async () => {
  bench = await WriterBench.open();
});
afterEach(() => bench.close());

describe('the queue in PostgreSQL', () => {
  it('is shared by two writers, which write each document once', async () => {
    const harness = new TestHarness(1_000_000, 1_000_000);
    const writers = [await bench.start(harness), await bench.start(harness)];
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, n) => writers[n % 2]?.send('POST', '/api/v1/write?wait=accepted', `{"n":${n}}`)),
    );
    expect(replies.map((reply) => reply?.status)).toEqual(replies.map(() => 202));
    const states = async () => (await writers[0]?.service.view.status())?.states;
    await expect.poll(async () => (await states())?.seen, { timeout: 30_000 }).toBe(60);
    harness.mine();
    await expect.poll(async () => (await states())?.proven, { timeout: 30_000 }).toBe(60);
    expect(written(harness)).toHaveLength(60);
    expect(new Set(written(harness)).size).toBe(60);
  });

  it('leaves a document that another writer found in a block to it, however late the miner said that it forgot it', async () => {
    const harness = new TestHarness(1_000_000);
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const merchant: typeof harness.merchant = {
      ...harness.merchant,
      status: async (txid) => {
        const answer = await harness.merchant.status(txid);
        held();
        await released;
        return answer;
      },
    };
    const late = await bench.start(harness, { options: { merchant } });
    const { txid } = (await late.write('1')).json;
    harness.forget(String(txid));
    await isHeld;
    const other = await bench.start(harness);
    await expect.poll(() => harness.mempool.has(String(txid)), { timeout: PATIENCE_MS }).toBe(true);
    harness.mine();
    await other.untilState(String(txid), 'proven');
    release();
    await late.service.stop();
    expect((await other.send('GET', `/api/v1/writes/${String(txid)}`)).json).toMatchObject({ state: 'proven' });
  });
});
