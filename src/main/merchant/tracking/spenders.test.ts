import { describe, expect, it } from 'vitest';
import { serializeTx, txidOf } from '../../../chain/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { findRivals } from './spenders.ts';

const parent = 'ab'.repeat(32);
const block = 'cd'.repeat(32);
const tip = 'ef'.repeat(32);

/** A transaction that spends an output of the parent. */
function spending(vout: number, lockTime = 0) {
  const inputs = [{ txid: parent, vout, script: new Uint8Array(), sequence: 0xffffffff }];
  const rawTx = serializeTx({ version: 1, inputs, outputs: [], lockTime });
  return { txid: txidOf(rawTx), rawTx, suspect: null };
}

it('the tracker asks once where a parent is, however many transactions spend it', async () => {
  const spendings = Array.from({ length: 40 }, (_, vout) => spending(vout));
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
    if (!(method in answers)) throw new NodeRpcError(-32601, 'Method not found');
    return answers[method] as T;
  };
  const rivals = await findRivals(createNodeChainData({ call }), spendings, new AbortController().signal);
  expect(rivals.size).toBe(0);
  expect(asked.filter((method) => method === 'getrawtransaction')).toHaveLength(1);
});

describe('the search for a spender where nobody lists blocks', () => {
  const ours = spending(0);
  const other = spending(0, 1);
  const place = { hash: block, height: 7 };

  /** Services that name what spends the coin. */
  function servicesThatTell(by: typeof ours | undefined, at: typeof place | null) {
    const told = { claimedBy: [], deniedBy: [], silent: [] };
    return {
      withoutLists: true,
      spends: async () => ({ ...told, spender: by && { txid: by.txid, raw: by.rawTx } }),
      placeOf: async () => ({ basis: 'proven', value: at }),
      tip: async () => ({ basis: 'agreed', value: place }),
    } as Partial<ChainData> as ChainData;
  }

  it.each([
    ['in a block', other, place, { where: 'block', txid: other.txid, block: place }],
    ['in the mempool', other, null, { where: 'mempool' }],
    ['the transaction itself', ours, null, undefined],
    ['nothing', undefined, null, undefined],
  ] as const)('takes the spender that services name: %s', async (_, by, at, rival) => {
    const chainData = servicesThatTell(by, at);
    const rivals = await findRivals(chainData, [ours], new AbortController().signal);
    expect(rivals.get(ours.txid)).toEqual(rival);
  });
});
