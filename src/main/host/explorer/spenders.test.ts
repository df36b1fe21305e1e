import { describe, expect, it } from 'vitest';
import { fromHex, satoshis, serializeTx, txidOf } from '../../../chain/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { type SpenderSources, spendersOf } from './spenders.ts';

const TXID = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);
const outputs = [0, 1, 2, 3];

function sources(
  parts: Partial<Omit<SpenderSources, 'chainData'>> & { txouts?: unknown[] | Error } = {},
): SpenderSources {
  const { txouts = [], ...rest } = parts;
  return {
    chainData: createNodeChainData({
      call: async () => {
        if (txouts instanceof Error) throw txouts;
        return { txouts };
      },
    } as NodeRpc),
    sandbox: undefined,
    wallet: { spenders: () => new Map() },
    tracked: { spendersOf: async () => [] },
    ...rest,
  };
}

const answer = [
  { confirmations: 3 },
  { error: 'spent', collidedWith: { txid: OTHER } },
  { error: 'missing' },
  { error: 'missing' },
];

describe('what spent an output', () => {
  it('is what the node says of its mempool, and not known of what blocks spent', async () => {
    expect(await spendersOf(sources({ txouts: answer }), { txid: TXID, outputs })).toEqual([
      { index: 0, state: 'unspent', by: null },
      { index: 1, state: 'spent', by: { txid: OTHER, input: null, height: null } },
      { index: 2, state: 'spent', by: null },
      { index: 3, state: 'spent', by: null },
    ]);
  });

  it('is known of the wallet’s coins and of tracked transactions', async () => {
    const rawTx = serializeTx({
      version: 1,
      inputs: [
        { txid: OTHER, vout: 3, script: new Uint8Array(), sequence: 0xffffffff },
        { txid: TXID, vout: 3, script: new Uint8Array(), sequence: 0xffffffff },
      ],
      outputs: [{ satoshis: satoshis(1), script: fromHex('51') }],
      lockTime: 0,
    });
    const spender = txidOf(rawTx);
    const found = await spendersOf(
      sources({
        txouts: answer,
        wallet: { spenders: () => new Map([[`${TXID}_2`, { txid: OTHER, height: 7 }]]) },
        tracked: { spendersOf: async () => [{ txid: spender, rawTx, height: 8 }] },
      }),
      { txid: TXID, outputs },
    );
    expect(found.slice(2)).toEqual([
      { index: 2, state: 'spent', by: { txid: OTHER, input: null, height: 7 } },
      { index: 3, state: 'spent', by: { txid: spender, input: 1, height: 8 } },
    ]);
  });

  it('is known of every output of the sandbox, except of what its node still holds', async () => {
    const by = { txid: OTHER, input: 4, height: 9 };
    const sandbox = { spenders: async (outpoints: readonly string[]) => new Map(outpoints.map((one) => [one, by])) };
    const found = await spendersOf(sources({ txouts: answer, sandbox }), { txid: TXID, outputs });
    expect(found.map((one) => one.by)).toEqual([null, by, by, by]);
  });

  it('is not known where the node lacks the command, and an outage is told', async () => {
    const lacking = sources({ txouts: new NodeRpcError(-32_601, 'Method not found') });
    expect(await spendersOf(lacking, { txid: TXID, outputs: [5] })).toEqual([{ index: 5, state: 'unknown', by: null }]);
    await expect(spendersOf(sources({ txouts: new Error('outage') }), { txid: TXID, outputs })).rejects.toThrow(
      'outage',
    );
  });
});
