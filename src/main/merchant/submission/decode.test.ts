import { describe, expect, it } from 'vitest';
import { satoshis, serializeTx, type Tx, txidOf } from '../../../chain/index.ts';
import { type DecodeContext, decodeTransaction, spendersIn } from './decode.ts';
import type { SourceTransaction } from './read-source.ts';
import type { SpentOutput } from './spent-outputs.ts';

const lock = Uint8Array.of(0xac);
const A = 'aa'.repeat(32);
const B = 'bb'.repeat(32);

/** A transaction of its own for each value that it pays. */
function spending(value: number, coins: readonly (readonly [txid: string, vout: number])[]): SourceTransaction {
  const tx: Tx = {
    version: 1,
    inputs: coins.map(([txid, vout]) => ({ txid, vout, script: Uint8Array.of(0x51), sequence: 0xffffffff })),
    outputs: [{ satoshis: satoshis(value), script: lock }],
    lockTime: 0,
  };
  const raw = serializeTx(tx);
  return { place: 1, format: 'raw', txid: txidOf(tx), raw, tx, spent: coins.map(() => undefined) };
}

const unspent: SpentOutput = {
  output: { satoshis: satoshis(1_000), script: lock },
  source: 'node',
  state: 'unspent',
  spentBy: undefined,
  spentAt: undefined,
  confirmations: 1,
};

/** The warnings of one among others. */
function warningsOf(one: SourceTransaction, among: readonly SourceTransaction[], spent: Partial<SpentOutput> = {}) {
  const context: DecodeContext = {
    network: 'sandbox',
    maxFeeRate: 100_000,
    nextHeight: 100,
    now: 0,
    spenders: spendersIn(among),
  };
  const all = one.tx.inputs.map(() => ({ ...unspent, ...spent }));
  return decodeTransaction(one, all, [], null, context).warnings.map(({ code, sentence }) => [code, sentence.values]);
}

describe('transactions of one source that spend the same coin', () => {
  const first = spending(10, [
    [A, 0],
    [A, 1],
    [B, 0],
  ]);
  const second = spending(20, [[A, 1]]);
  const third = spending(30, [
    [A, 1],
    [B, 0],
    [B, 1],
  ]);
  const all = [first, second, third];

  it('are found by the outpoint, each once and in their order', () => {
    expect([...spendersIn([...all, first])]).toEqual([
      [`${A}_0`, [first.txid]],
      [`${A}_1`, [first.txid, second.txid, third.txid]],
      [`${B}_0`, [first.txid, third.txid]],
      [`${B}_1`, [third.txid]],
    ]);
  });

  it('are reported with the first other one and the inputs that both spend', () => {
    expect(warningsOf(first, all)).toEqual([['input-twice', { txid: second.txid, inputs: '1' }]]);
    expect(warningsOf(second, all)).toEqual([['input-twice', { txid: first.txid, inputs: '0' }]]);
    expect(warningsOf(third, all)).toEqual([['input-twice', { txid: first.txid, inputs: '0, 1' }]]);
    expect(warningsOf(first, [first, third])).toEqual([['input-twice', { txid: third.txid, inputs: '1, 2' }]]);
  });

  it('are not reported for one that is alone or given twice, nor where another spends another output of the same transaction', () => {
    expect(warningsOf(first, [first])).toEqual([]);
    expect(warningsOf(first, [first, first])).toEqual([]);
    expect(warningsOf(second, [second, spending(40, [[A, 0]])])).toEqual([]);
  });

  it('are not found among coinbases, which spend nothing', () => {
    const coinbases = [1, 2].map((value) => spending(value, [['00'.repeat(32), 0xffffffff]]));
    expect(spendersIn(coinbases).size).toBe(0);
  });
});

describe('a coin that is spent', () => {
  const one = spending(10, [[A, 0]]);

  it('is a warning where another transaction spends it, and none where it is this one', () => {
    expect(warningsOf(one, [one], { state: 'spent', spentBy: one.txid })).toEqual([]);
    expect(warningsOf(one, [one], { state: 'spent', spentBy: B })).toEqual([['input-spent', { inputs: '0', txid: B }]]);
    expect(warningsOf(one, [one], { state: 'spent', spentBy: B, spentAt: 7 })).toEqual([
      ['input-mined', { inputs: '0', txid: B, height: 7 }],
    ]);
  });
});
