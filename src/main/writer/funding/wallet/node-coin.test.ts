import { expect, it } from 'vitest';
import { type Outpoint, p2pkhScript } from '../../../../chain/index.ts';
import { createNodeChainData } from '../../../chain-data/node/node-chain-data.ts';
import type { NodeRpc } from '../../../ports/node.ts';
import { TestHarness } from '../../test-support/harness.ts';
import { coinState } from './node-coin.ts';

const script = p2pkhScript(new Uint8Array(20));

/** The node of a harness without what was in these transactions, as where it came up without its mempool or is a block behind. */
function without(harness: TestHarness, txid: string, blocks = harness.blocks.length): NodeRpc {
  const behind = new TestHarness();
  behind.blocks = harness.blocks.slice(0, blocks);
  return {
    call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      if (method === 'getblockhash') return behind.node.call<T>(method, params);
      return method === 'gettxout' && params[0] === txid ? (null as T) : harness.node.call<T>(method, params);
    },
  };
}

/** Two coins of which the first is spent by what waits, which makes one that nobody spends. */
function waiting(): { harness: TestHarness; spent: Outpoint; free: Outpoint; made: Outpoint } {
  const harness = new TestHarness();
  const [spent, free] = [harness.grant(script, 1_000), harness.grant(script, 2_000)];
  return { harness, spent, free, made: { txid: harness.spendElsewhere(`${spent.txid}_0`), vout: 0 } };
}

it('a coin is unspent or spent as the node says, where that has its block', async () => {
  const { harness, spent, free, made } = waiting();
  expect(await coinState(harness, free)).toMatchObject({ kind: 'unspent', inBlock: true, coin: { satoshis: 2_000 } });
  expect(await coinState(harness, spent)).toEqual({ kind: 'spending' });
  harness.mine();
  // The node has the block in which this one was made, and says nothing of it.
  expect(await coinState({ ...harness, chainData: createNodeChainData(without(harness, made.txid)) }, made)).toEqual({
    kind: 'spent',
  });
});

it('a coin of which the miner knows nothing is unknown', async () => {
  expect(await coinState(new TestHarness(), { txid: 'ab'.repeat(32), vout: 0 })).toEqual({ kind: 'unknown' });
});

it('a coin the miner has is not gone because a node knows nothing of it that lost its mempool or is a block behind', async () => {
  const { harness, made } = waiting();
  expect(await coinState({ ...harness, chainData: createNodeChainData(without(harness, made.txid)) }, made)).toEqual({
    kind: 'unsettled',
  });
  harness.mine();
  const behind = without(harness, made.txid, harness.blocks.length - 1);
  expect(await coinState({ ...harness, chainData: createNodeChainData(behind) }, made)).toEqual({ kind: 'unsettled' });
});
