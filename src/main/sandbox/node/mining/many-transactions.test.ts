import { expect, it } from 'vitest';
import { satoshis, serializeTx } from '../../../../chain/index.ts';
import type { Ledger } from '../ledger.ts';
import { Mempool } from '../mempool/mempool.ts';
import { MempoolEntry } from '../mempool/mempool-entry.ts';
import { openTestNode } from '../test-support/open-node.ts';
import { BlockMaker } from './block-maker.ts';

// more than a function takes as arguments
const MANY = 130_000;

function fill(mempool: Mempool): void {
  const input = { txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(), sequence: 0xffffffff };
  const raw = serializeTx({ version: 1, inputs: [input], outputs: [], lockTime: 0 });
  const shared = { raw, outpoints: [], fee: satoshis(100), time: 0, height: 120, ancestors: 0 };
  for (let sequence = 0; sequence < MANY; sequence++) {
    mempool.add(new MempoolEntry({ ...shared, txid: sequence.toString(16).padStart(64, '0'), sequence }));
  }
}

it('the node drops any number of transactions that the chain does not allow, and tells of each', async () => {
  const opened = await openTestNode();
  const { node } = opened;
  fill(node.mempool);
  let dropped = 0;
  node.onRemoved(({ reason }) => {
    if (reason === 'reorg') dropped++;
  });
  expect(await node.invalidateBlock(node.tip().hash)).toBe(true);
  expect(dropped).toBe(MANY);
  expect(node.mempool.size).toBe(0);
  await opened.remove();
});

it('a block holds any number of transactions, and its coinbase the fees of all', async () => {
  const mempool = new Mempool();
  fill(mempool);
  const tip = { hash: '0'.repeat(64), height: 120, medianTime: 0 };
  const ledger = { tip, has: async () => false } as unknown as Ledger;
  const block = await new BlockMaker({ ledger, mempool, now: () => 0 }).next(new Uint8Array());
  expect(block.transactions).toHaveLength(1 + MANY);
  expect(block.transactions[0]?.tx.outputs[0]?.satoshis).toBe(5_000_000_000 + 100 * MANY);
});
