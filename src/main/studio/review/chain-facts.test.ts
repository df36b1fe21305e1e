import { expect, it } from 'vitest';
import { toHex } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { coin } from '../test-support/review-fixture.ts';
import { OWN_SCRIPT } from '../test-support/test-studio.ts';
import { coinFacts } from './chain-facts.ts';

it.each([
  ['value', { confirmations: 1, value: 0.0009, scriptPubKey: { hex: toHex(OWN_SCRIPT) } }],
  ['locking script', { confirmations: 1, value: 0.00005, scriptPubKey: { hex: '51' } }],
])('takes what the wallet knows of its coin where a node without an index tells another %s', async (_, out) => {
  const own = coin('a', 5_000);
  const node = {
    call: async (method: string) => {
      if (method === 'gettxout') return out;
      throw new NodeRpcError(-5, 'No such mempool or blockchain transaction');
    },
  } as unknown as NodeRpc;
  expect(await coinFacts(createNodeChainData(node), [own])).toEqual([
    { txid: own.txid, vout: own.vout, utxo: own, unspent: true },
  ]);
});

it('takes what the wallet knows while no public service answers, and says so; other failures are none of that', async () => {
  const own = coin('a', 5_000);
  let why = new PlanchetError('chain.sources-unavailable', { reasons: 'away' });
  const chainData = { output: () => Promise.reject(why) } as unknown as ChainData;
  expect(await coinFacts(chainData, [own])).toEqual([
    { txid: own.txid, vout: own.vout, utxo: own, unspent: true, isUnanswered: true },
  ]);
  why = new PlanchetError('chain.no-headers');
  await expect(coinFacts(chainData, [own])).rejects.toBe(why);
});
