import { expect, it } from 'vitest';
import { serializeTx, txidOf } from '../../../chain/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { NodeRpc } from '../../ports/node.ts';
import { findRivals } from './spenders.ts';

const parent = 'ab'.repeat(32);
const block = 'cd'.repeat(32);
const tip = 'ef'.repeat(32);

it('asks once where a parent is, however many transactions spend it', async () => {
  const spendings = Array.from({ length: 40 }, (_, vout) => {
    const inputs = [{ txid: parent, vout, script: new Uint8Array(), sequence: 0xffffffff }];
    const rawTx = serializeTx({ version: 1, inputs, outputs: [], lockTime: 0 });
    return { txid: txidOf(rawTx), rawTx, suspect: null };
  });
  const asked: string[] = [];
  const answers: Record<string, unknown> = {
    gettxout: null,
    getrawtransaction: { blockhash: block },
    getblockhash: block,
    getbestblockhash: tip,
  };
  const call: NodeRpc['call'] = async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    asked.push(method);
    // The tip is below the parent's block: no block is read.
    if (method === 'getblockheader') return { height: params[0] === tip ? 6 : 7 } as T;
    return answers[method] as T;
  };
  const rivals = await findRivals(createNodeChainData({ call }), spendings, new AbortController().signal);
  expect(rivals.size).toBe(0);
  expect(asked.filter((method) => method === 'getrawtransaction')).toHaveLength(1);
});
