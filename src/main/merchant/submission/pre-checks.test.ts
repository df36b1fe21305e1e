import { describe, expect, it } from 'vitest';
import { concatBytes, satoshis, serializeTx, type Tx, txidOf, txSize } from '../../../chain/index.ts';
import type { MinerQuote } from '../../../contract/index.ts';
import { preChecks } from './pre-checks.ts';
import type { SourceTransaction } from './read-source.ts';
import type { SpentOutput } from './spent-outputs.ts';

/** A data output of 1,002 bytes and one that a signature opens. */
const data = concatBytes(Uint8Array.of(0x00, 0x6a), new Uint8Array(1_000).fill(0x51));
const lock = Uint8Array.of(0xac);
const tx: Tx = {
  version: 1,
  inputs: [{ txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(107).fill(0x51), sequence: 0xffffffff }],
  outputs: [
    { satoshis: satoshis(0), script: data },
    { satoshis: satoshis(10_000), script: lock },
  ],
  lockTime: 0,
};
const transaction: SourceTransaction = {
  place: 1,
  format: 'raw',
  txid: txidOf(tx),
  raw: serializeTx(tx),
  tx,
  spent: [undefined],
};
const other = txSize(tx) - data.length;

function quote(policies: MinerQuote['policies'], relay: MinerQuote['relay'] = null): MinerQuote {
  return {
    standard: { satoshis: 500, bytes: 1_000 },
    data: { satoshis: 250, bytes: 1_000 },
    relay,
    at: 0,
    minerTime: null,
    expiresAt: 1,
    apiVersion: null,
    policies,
    highestBlock: null,
    source: null,
  };
}

function check(fee: number, quotes: readonly MinerQuote[], ancestors = 0) {
  const spent: SpentOutput = {
    output: { satoshis: satoshis(10_000 + fee), script: lock },
    source: 'node',
    state: 'unspent',
    spentBy: undefined,
    spentAt: undefined,
    confirmations: 6,
  };
  const terms = quotes.map((one, n) => ({ name: `miner ${n}`, quote: one }));
  return preChecks(transaction, [spent], { terms, ancestors, maxFee: 5_000_000 });
}

describe('checks before a transaction is sent', () => {
  const least = Math.floor((other * 500) / 1_000) + Math.floor((data.length * 250) / 1_000);

  it('ask for the fee of data and other bytes, each rounded down by itself', () => {
    expect(check(least, [quote({})])).toEqual([]);
    const [failed, ...rest] = check(least - 1, [quote({})]);
    expect(failed).toMatchObject({ code: 'fee', value: least - 1, limit: least, skippable: true });
    expect(failed?.text).toBe(
      `It pays ${least - 1} sat; miner 0 asks ${least} (${least - 250} and 250 for data) for ${txSize(tx)} bytes.`,
    );
    expect(rest).toEqual([]);
  });

  it('take the relay fee as well, and the cheapest of several miners', () => {
    const free = { standard: { satoshis: 0, bytes: 1 }, data: { satoshis: 0, bytes: 1 } };
    expect(check(0, [quote({}, free)])).toEqual([]);
    expect(check(0, [quote({}), quote({}, free)])).toEqual([]);
  });

  it.each([
    ['size', 'maxtxsizepolicy', txSize(tx)],
    ['script-size', 'maxscriptsizepolicy', data.length],
    ['sigops', 'maxtxsigopscountspolicy', 1],
    ['ancestors', 'limitancestorcount', 4],
  ])('compare the %s with the widest limit of the miners', (code, name, value) => {
    const failed = (...limits: number[]) =>
      check(
        least,
        limits.map((limit) => quote({ [name]: limit })),
        3,
      );
    expect(failed(value)).toEqual([]);
    expect(failed(value - 1, value)).toEqual([]);
    // A miner that names no limit sets none: 0 and below are placeholders.
    expect(failed(value - 1, 0)).toEqual([]);
    if (value > 1) expect(failed(value - 1)).toMatchObject([{ code, value, limit: value - 1, skippable: true }]);
  });

  it('name the spender that a block holds before one that waits, with the inputs that it spends', () => {
    const coin = { output: undefined, source: null, state: 'spent', confirmations: 0 } as const;
    const spent: SpentOutput[] = [
      { ...coin, spentBy: 'aa'.repeat(32), spentAt: undefined },
      { ...coin, spentBy: 'bb'.repeat(32), spentAt: 7 },
      { ...coin, spentBy: 'bb'.repeat(32), spentAt: 7 },
    ];
    const failedOf = (coins: SpentOutput[]) => preChecks(transaction, coins, { terms: [], ancestors: 0, maxFee: 1 });
    const mined = { key: 'check.input-mined', values: { inputs: '1, 2', txid: 'bb'.repeat(32), height: 7 } };
    expect(failedOf(spent)).toMatchObject([{ code: 'input-mined', sentence: mined, skippable: true }]);
    const waiting = { key: 'check.input-spent-by', values: { inputs: '0', txid: 'aa'.repeat(32) } };
    expect(failedOf(spent.slice(0, 1))).toMatchObject([{ code: 'input-spent', sentence: waiting }]);
  });

  describe('of a consolidation', () => {
    const paid = concatBytes(Uint8Array.of(0x76, 0xa9, 0x14), new Uint8Array(20), Uint8Array.of(0x88, 0xac));
    const input = tx.inputs[0] as Tx['inputs'][0];
    const rule = {
      minconsolidationfactor: 20,
      maxconsolidationinputscriptsize: 150,
      minconfconsolidationinput: 6,
      acceptnonstdconsolidationinput: false,
    };
    const coin: SpentOutput = {
      output: { satoshis: satoshis(100), script: paid },
      source: 'node',
      state: 'unspent',
      spentBy: undefined,
      spentAt: undefined,
      confirmations: 6,
    };
    /** A consolidation without a fee, changed in one place. */
    const codes = ({
      count = 20,
      scriptBytes = 150,
      lockingScript = paid,
      policies = rule as MinerQuote['policies'],
      last = {},
    }: {
      count?: number;
      scriptBytes?: number;
      lockingScript?: Uint8Array;
      policies?: MinerQuote['policies'];
      last?: Partial<SpentOutput>;
    } = {}) => {
      const inputs = Array.from({ length: count }, (_, vout) => ({
        ...input,
        vout,
        script: new Uint8Array(scriptBytes).fill(0x51),
      }));
      const outputs = [{ satoshis: satoshis(count * 100), script: lockingScript }];
      const spent = inputs.map((_, at) => (at === count - 1 ? { ...coin, ...last } : coin));
      const context = { terms: [{ name: 'a', quote: quote(policies) }], ancestors: 0, maxFee: 5_000_000 };
      return preChecks({ ...transaction, tx: { ...tx, inputs, outputs } }, spent, context).map(({ code }) => code);
    };

    it('ask for no fee where the rule of the node holds', () => {
      expect(codes()).toEqual([]);
      const odd = { output: { satoshis: satoshis(100), script: new Uint8Array(25).fill(0x51) } };
      expect(codes({ last: odd, policies: { ...rule, acceptnonstdconsolidationinput: true } })).toEqual([]);
    });

    it.each([
      ['too few inputs', { count: 19 }],
      ['a long unlocking script', { scriptBytes: 151 }],
      ['an output script that is longer than those spent', { lockingScript: concatBytes(paid, Uint8Array.of(0x61)) }],
      ['a young coin', { last: { confirmations: 5 } }],
      ['a coin in the mempool', { last: { confirmations: 0 } }],
      ['an uncommon coin', { last: { output: { satoshis: satoshis(100), script: new Uint8Array(25).fill(0x51) } } }],
      ['a factor of zero', { policies: { ...rule, minconsolidationfactor: 0 } }],
      ['no rule', { policies: {} }],
    ])('ask for the fee with %s', (_, change) => {
      expect(codes(change)).toEqual(['fee']);
    });
  });

  it('count signature operations without running scripts', () => {
    // 1 OP_CHECKMULTISIG names one key; without a number before it, it may name 20.
    const many = { ...tx, outputs: [{ satoshis: satoshis(10_000), script: Uint8Array.of(0x51, 0xae, 0xae, 0xad) }] };
    const failed = preChecks({ ...transaction, tx: many }, [], {
      terms: [{ name: 'a', quote: quote({ maxtxsigopscountspolicy: 21 }) }],
      ancestors: 0,
      maxFee: 5_000_000,
    });
    expect(failed.find(({ code }) => code === 'sigops')).toMatchObject({ value: 22, limit: 21 });
  });
});
