import { describe, expect, it } from 'vitest';
import { serializeTx, type Tx, toHex, txidOf, type Utxo } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { OWN_SCRIPT } from '../test-support/file-wallet.ts';
import { coin } from '../test-support/review-fixture.ts';
import { coinFacts } from './chain-facts.ts';

it.each([
  ['value', { confirmations: 1, value: 0.0009, scriptPubKey: { hex: toHex(OWN_SCRIPT) } }],
  ['locking script', { confirmations: 1, value: 0.00005, scriptPubKey: { hex: '51' } }],
])('the facts about a coin are those of the wallet if a node without an index reports another %s', async (_, out) => {
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

it("the review relies on the wallet's coins, and says so, only while no public service answers", async () => {
  const own = coin('a', 5_000);
  let why = new PlanchetError('chain.sources-unavailable', { reasons: 'away' });
  const chainData = { output: () => Promise.reject(why) } as unknown as ChainData;
  expect(await coinFacts(chainData, [own])).toEqual([
    { txid: own.txid, vout: own.vout, utxo: own, unspent: true, isUnanswered: true },
  ]);
  why = new PlanchetError('chain.no-headers');
  await expect(coinFacts(chainData, [own])).rejects.toBe(why);
});

describe('the facts about a coin', () => {
  const made: Tx = {
    version: 1,
    inputs: [{ txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(0), sequence: 0 }],
    outputs: [coin('a', 700), coin('a', 800)].map(({ satoshis, lockingScript: script }) => ({ satoshis, script })),
    lockTime: 0,
  };
  const raw = serializeTx(made);
  const txid = txidOf(made);
  /** Chain data that says this of each output. */
  const saying = (state: 'unspent' | 'spent' | undefined, bytes: Uint8Array | undefined) =>
    ({
      output: async () => ({ basis: 'told', value: state && { state } }),
      transaction: async () => ({ basis: 'told', value: bytes }),
    }) as unknown as ChainData;
  const claimed = (vout: number): Utxo => ({ ...coin('a', 9_999, vout), txid });

  it("have the value and script of the transaction's bytes, whatever the output query says", async () => {
    const facts = await coinFacts(saying('unspent', raw), [claimed(1), claimed(0)]);
    expect(facts.map(({ utxo, unspent }) => [utxo?.vout, utxo?.satoshis, unspent])).toEqual([
      [1, 800, true],
      [0, 700, true],
    ]);
  });

  it('say that it is spent if the output is reported as spent or unknown', async () => {
    for (const state of ['spent', undefined] as const)
      expect(await coinFacts(saying(state, raw), [claimed(0)])).toMatchObject([{ unspent: false }]);
  });

  it('have no output if neither the transaction nor an unspent output is known', async () => {
    for (const state of ['spent', undefined] as const)
      expect((await coinFacts(saying(state, undefined), [claimed(0)]))[0]?.utxo).toBeUndefined();
  });
});
