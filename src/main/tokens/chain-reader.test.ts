import { expect, it } from 'vitest';
import { serializeTx, type Tx, toHex } from '../../chain/index.ts';
import { out, parentOf } from '../../token/test-support/forge.ts';
import { createNodeChainData } from '../chain-data/node/node-chain-data.ts';
import type { NodeRpc } from '../ports/node.ts';
import { ChainReader } from './chain-reader.ts';

it('the reader of the chain keeps the newest transactions, and no more of them than 64 MB', async () => {
  const made = Array.from({ length: 4 }, () => parentOf([out(new Uint8Array(20_000_000), 1)], 0));
  const transactions = new Map(made.map(({ tx, utxo }) => [utxo.txid, tx]));
  const asked: string[] = [];
  const reader = new ChainReader(
    createNodeChainData({
      call: async (_method: string, [txid]: [string]) => {
        asked.push(txid);
        // Made for each call, since four such texts take 160 MB.
        return toHex(serializeTx(transactions.get(txid) as Tx));
      },
    } as unknown as NodeRpc),
  );
  const [a = '', b = '', c = '', d = ''] = transactions.keys();
  for (const txid of [a, b, c, d, d, c, b]) await reader.find(txid);
  expect(asked).toEqual([a, b, c, d]);
  await reader.find(a);
  expect(asked).toEqual([a, b, c, d, a]);
});
