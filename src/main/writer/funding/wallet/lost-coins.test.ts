import { afterEach, beforeEach, expect, it } from 'vitest';
import { type NodeRpc, NodeRpcError } from '../../../ports/node.ts';
import { TestHarness } from '../../test-support/harness.ts';
import { PATIENCE_MS, WriterProcesses } from '../../test-support/writer-client.ts';

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

/** A node that came up without its mempool. The miner still has everything. */
function withoutMempool(harness: TestHarness): NodeRpc {
  const none: Record<string, unknown> = { getrawmempool: [], getmempoolinfo: { size: 0 } };
  return {
    call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      if (method in none) return none[method] as T;
      const isLost = harness.mempool.has(String(params[0]));
      if (isLost && method === 'gettxout') return null as T;
      if (isLost && method === 'getrawtransaction') throw new NodeRpcError(-5, 'No such mempool transaction');
      return harness.node.call<T>(method, params);
    },
  };
}

it('coins that wait for a block are kept where the node came up without its mempool', async () => {
  const harness = new TestHarness(1_000_000);
  const first = await writers.start(harness);
  const { headers } = await first.write('0');
  // What the node has seen is what the writer asks it about at the next start.
  await first.untilState(String(headers.location).split('/').pop() as string, 'seen');
  const states = async () => {
    const rows = await writers.db.selectFrom('writer_transactions').select('state').execute();
    return rows.map(({ state }) => state);
  };
  await expect.poll(states, { timeout: PATIENCE_MS }).toEqual(['seen', 'seen']);
  expect(await writers.freeCoins()).toEqual(harness.poolCoins);
  await first.service.stop();

  const second = await writers.start(harness, { options: { node: withoutMempool(harness) } });
  expect((await second.write('1')).status).toBe(201);
  expect(await writers.freeCoins()).toEqual(harness.poolCoins);
  expect(harness.poolCoins).toHaveLength(16);
});
