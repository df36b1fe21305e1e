import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { TestHarness } from '../test-support/harness.ts';
import { PATIENCE_MS, WriterProcesses, written } from '../test-support/writer-client.ts';

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

describe('the queue in PostgreSQL', () => {
  it('is shared by two writers, which write each document once', async () => {
    const harness = new TestHarness(1_000_000, 1_000_000);
    const pair = [await writers.start(harness), await writers.start(harness)];
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, n) => pair[n % 2]?.send('POST', '/api/v1/write?wait=accepted', `{"n":${n}}`)),
    );
    expect(replies.map((reply) => reply?.status)).toEqual(replies.map(() => 202));
    const states = async () => (await pair[0]?.service.view.status())?.states;
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
    const late = await writers.start(harness, { options: { merchant } });
    const { txid } = (await late.write('1')).json;
    harness.forget(String(txid));
    await isHeld;
    const other = await writers.start(harness);
    await expect.poll(() => harness.mempool.has(String(txid)), { timeout: PATIENCE_MS }).toBe(true);
    harness.mine();
    await other.untilState(String(txid), 'proven');
    release();
    await late.service.stop();
    expect((await other.send('GET', `/api/v1/writes/${String(txid)}`)).json).toMatchObject({ state: 'proven' });
  });

  it('leaves a document proven that another writer found in a block which its own node does not have yet', async () => {
    const harness = new TestHarness(1_000_000);
    const first = await writers.start(harness);
    let looks = 0;
    let hidden = 0;
    const behind: NodeRpc = {
      call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
        const tip = harness.blocks.length - 1 - hidden;
        if (method === 'getbestblockhash') {
          looks += 1;
          return harness.blocks[tip]?.hash as T;
        }
        if (method === 'getblockhash' && Number(params[0]) > tip)
          throw new NodeRpcError(-8, 'Block height out of range');
        return harness.node.call<T>(method, params);
      },
    };
    const { txid } = (await first.write('1')).json;
    harness.mine();
    harness.mine();
    await first.untilState(String(txid), 'proven');
    await first.service.stop();
    harness.mine();
    hidden = 3;
    const second = await writers.start(harness, { options: { node: behind } });
    for (let look = 1; look <= 3; look++) {
      await expect.poll(() => looks, { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(look);
      harness.announce();
    }
    const state = async () => (await second.send('GET', `/api/v1/writes/${String(txid)}`)).json;
    expect(await state()).toMatchObject({ state: 'proven', proof: expect.anything() });
    // Where its node has other blocks, the chain did change.
    harness.undo(3);
    for (let n = 0; n < 3; n++) harness.mine();
    hidden = 0;
    harness.announce();
    const block = harness.blocks.find(({ txids }) => txids.includes(String(txid)))?.hash;
    await expect.poll(async () => (await state()).blockHash, { timeout: PATIENCE_MS }).toBe(block);
  });
});
