import { describe, expect, it } from 'vitest';
import { fromHex, MAX_SATOSHIS, satoshis, serializeTx, type Tx, txidOf } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { bothChainData } from '../../chain-data/both-chain-data.ts';
import { chosenChainData } from '../../chain-data/chosen-chain-data.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { describe as described } from './described.ts';

const script = fromHex('51');
const NOBODY = '0'.repeat(64);

function txOf(spent: readonly (readonly [txid: string, vout: number])[], values: readonly number[]): Tx {
  return {
    version: 1,
    inputs: spent.map(([txid, vout]) => ({ txid, vout, script, sequence: 0 })),
    outputs: values.map((value) => ({ satoshis: satoshis(value), script })),
    lockTime: 0,
  };
}

/** A node that has these, and notes which it was asked for in one call. */
function nodeWith(...all: Tx[]) {
  const known = new Map(all.map((tx) => [txidOf(tx), serializeTx(tx)]));
  const asked: (readonly string[])[] = [];
  const node = {
    transaction: async (txid: string) =>
      known.has(txid) ? { basis: 'proven', value: known.get(txid) } : { basis: 'unknown' },
    transactions: async (txids: readonly string[]) => {
      asked.push(txids);
      return new Map(txids.flatMap((txid) => (known.has(txid) ? [[txid, known.get(txid) as Uint8Array]] : [])));
    },
  } as unknown as ChainData;
  return { node, asked };
}

const feesOf = async (chainData: ChainData, ...all: Tx[]) =>
  (await described(chainData, all.map(txidOf))).map(({ fee }) => fee);

const coinbase = txOf([[NOBODY, 0xffffffff]], [5_000, 7_000]);
const first = txOf([[txidOf(coinbase), 1]], [6_000, 900]);
const second = txOf(
  [
    [txidOf(first), 1],
    [txidOf(coinbase), 0],
    [txidOf(first), 0],
  ],
  [11_000],
);

describe('the fee of a transaction of a block', () => {
  it('is what it spends less what it pays; a coinbase has none', async () => {
    const { node, asked } = nodeWith(coinbase, first, second);
    expect(await feesOf(node, coinbase, first, second)).toEqual([null, 100, 900]);
    // each once, in one call
    expect(asked).toEqual([[txidOf(coinbase), txidOf(first)]]);
  });

  it('is unknown where a spent output is', async () => {
    expect(await feesOf(nodeWith(second, coinbase).node, second)).toEqual([null]);
    const beyond = txOf([[txidOf(coinbase), 2]], [1]);
    expect(await feesOf(nodeWith(beyond, coinbase).node, beyond)).toEqual([null]);
  });

  it('is unknown where more is paid than spent, or more spent than there is', async () => {
    const made = txOf([[txidOf(coinbase), 0]], [5_001]);
    expect(await feesOf(nodeWith(made, coinbase).node, made)).toEqual([null]);
    const rich = [0, 1].map((n) => txOf([[NOBODY, n]], [MAX_SATOSHIS]));
    const spends = txOf(
      rich.map((tx) => [txidOf(tx), 0]),
      [1],
    );
    expect(await feesOf(nodeWith(spends, ...rich).node, spends)).toEqual([null]);
  });

  it('is looked up in at most 100 transactions for all together, and not for one of more than 200 inputs', async () => {
    const parents = Array.from({ length: 130 }, (_, n) => txOf([[NOBODY, n]], [10]));
    const some = (from: number, count: number) =>
      txOf(
        parents.slice(from, from + count).map((tx) => [txidOf(tx), 0]),
        [1],
      );
    const [many, more, few] = [some(0, 90), some(90, 40), some(85, 10)] as [Tx, Tx, Tx];
    const { node, asked } = nodeWith(...parents, many, more, few);
    expect(await feesOf(node, many, more, few)).toEqual([899, null, 99]);
    expect(asked.map(({ length }) => length)).toEqual([20, 20, 20, 20, 15]);
    const wide = txOf(
      Array.from({ length: 201 }, () => [txidOf(coinbase), 0]),
      [1],
    );
    expect(await feesOf(nodeWith(coinbase, wide).node, wide)).toEqual([null]);
  });

  it('ends with the bytes that are read for it', async () => {
    const data = { satoshis: satoshis(1), script: new Uint8Array(1_700_000) };
    const long = Array.from({ length: 30 }, (_, n) => {
      const tx = txOf([[NOBODY, n]], [10]);
      return n < 20 ? { ...tx, outputs: [...tx.outputs, data] } : tx;
    });
    const spends = txOf(
      long.map((tx) => [txidOf(tx), 0]),
      [1],
    );
    const { node, asked } = nodeWith(...long, spends);
    expect(await feesOf(node, spends)).toEqual([null]);
    expect(asked).toHaveLength(1);
  });

  it('is asked of the node alone where public services stand beside it', async () => {
    const { node, asked } = nodeWith(coinbase, second);
    const services = {
      until: () => services,
      transactions: () => Promise.reject(new Error('asked of public services')),
    } as unknown as ChainData;
    const both = chosenChainData(
      () => bothChainData(node, services),
      () => () => undefined,
    );
    expect(await feesOf(both, second)).toEqual([null]);
    expect(asked).toHaveLength(1);
  });

  it('is left out where the node fails, and ends with the call', async () => {
    const failing = (error: Error) => ({ ...nodeWith(first).node, transactions: () => Promise.reject(error) });
    expect(await feesOf(failing(new PlanchetError('upstream.answer-cut-off')), first)).toEqual([null]);
    await expect(feesOf(failing(new PlanchetError('upstream.call-cancelled')), first)).rejects.toThrow();
  });
});
