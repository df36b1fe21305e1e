import { expect, it } from 'vitest';
import { toHex } from '../../../chain/index.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { coin } from '../test-support/review-fixture.ts';
import { coinFacts } from './chain-facts.ts';

it('takes the value that the wallet knows of its coin where a node without an index tells another', async () => {
  const own = coin('a', 5_000);
  const out = { value: 0.0009, scriptPubKey: { hex: toHex(own.lockingScript) } };
  const node = {
    call: async (method: string) => {
      if (method === 'gettxout') return out;
      throw new NodeRpcError(-5, 'No such mempool or blockchain transaction');
    },
  } as unknown as NodeRpc;
  expect(await coinFacts(node, [own])).toEqual([{ txid: own.txid, vout: own.vout, utxo: own, unspent: true }]);
});
