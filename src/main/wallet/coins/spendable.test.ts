import { describe, expect, it } from 'vitest';
import { type FundingUtxo, formatOutpoint, p2pkhScript, satoshis } from '../../../chain/index.ts';
import { balanceOf, candidatesOf, fullBalanceOf, isUnproven, partOf, tooLittle } from './spendable.ts';
import type { Coin } from './storage/coin-edit.ts';
import { type CoinStore, FROZEN } from './storage/coin-store.ts';

type Pending = { missingSince: number | null; malleable: boolean; unproven: boolean };

const seen: Pending = { missingSince: null, malleable: false, unproven: false };
const coinOf = (vout: number, change: Partial<Coin> = {}): Coin => ({
  txid: 'ab'.repeat(32),
  vout,
  satoshis: satoshis(1_000 + vout),
  lockingScript: p2pkhScript(new Uint8Array(20).fill(1)),
  scriptHash: null,
  kind: 'funding',
  keyIndex: 0,
  coinbase: false,
  height: 10,
  spentBy: null,
  spentHeight: null,
  ...change,
});

/** Coins of which one part of it says. */
function coinStoreOf(
  coins: readonly Coin[],
  around: {
    held?: Record<number, string>;
    signed?: Record<number, string[]>;
    pending?: Record<string, Pending>;
    disputed?: number[];
    height?: number;
  } = {},
): CoinStore {
  const outpoint = (vout: number | string) => `${'ab'.repeat(32)}_${vout}`;
  const keyed = <T>(values: Record<number, T> = {}) =>
    new Map(Object.entries(values).map(([vout, value]) => [outpoint(vout), value]));
  const held = keyed(around.held);
  return {
    coins: new Map(coins.map((coin) => [formatOutpoint(coin), coin])),
    holderOf: (name: string) => held.get(name),
    heldBySigned: keyed(around.signed),
    pending: new Map(Object.entries(around.pending ?? {})),
    disputes: new Map((around.disputed ?? []).map((vout) => [outpoint(vout), {}])),
    tip: { height: around.height ?? 200, hash: '' },
  } as unknown as CoinStore;
}

const part = (coin: Coin, around?: Parameters<typeof coinStoreOf>[1]) =>
  partOf(coinStoreOf([coin], around), formatOutpoint(coin), coin);
const waiting = { height: null };
const pending = (change: Partial<Pending>) => ({ pending: { ['ab'.repeat(32)]: { ...seen, ...change } } });

describe('a coin', () => {
  it.each<[string, Coin, Parameters<typeof coinStoreOf>[1], string]>([
    ['that is mined', coinOf(0), {}, 'spendable'],
    ['of another address', coinOf(0, { keyIndex: 1 }), {}, 'elsewhere'],
    ['that is frozen', coinOf(0), { held: { 0: FROZEN } }, 'frozen'],
    ['that a job holds', coinOf(0), { held: { 0: 'a job' } }, 'locked'],
    ['that a signed transaction spends', coinOf(0), { signed: { 0: ['cd'] } }, 'locked'],
    ['that somebody says is spent', coinOf(0), { disputed: [0] }, 'waiting'],
    ['beside a disputed one', coinOf(0), { disputed: [1] }, 'spendable'],
    ['in the mempool', coinOf(0, waiting), pending({}), 'spendable'],
    ['of a transaction of its own that is not followed', coinOf(0, waiting), {}, 'spendable'],
    ['that the mempool lacks', coinOf(0, waiting), pending({ missingSince: 5 }), 'waiting'],
    ['whose id may change', coinOf(0, waiting), pending({ malleable: true }), 'waiting'],
    ['that may build on nothing', coinOf(0, waiting), pending({ unproven: true }), 'waiting'],
    ['of new money that is not mined', coinOf(0, { coinbase: true, ...waiting }), pending({}), 'waiting'],
    [
      'of new money in the last block before it may be spent',
      coinOf(0, { coinbase: true }),
      { height: 108 },
      'waiting',
    ],
    ['of new money that the next block may spend', coinOf(0, { coinbase: true }), { height: 109 }, 'spendable'],
    ['of money that is not new', coinOf(0), { height: 10 }, 'spendable'],
  ])('%s', (_, coin, around, expected) => {
    expect(part(coin, around)).toBe(expected);
  });

  it('is unproven only while no block holds it', () => {
    const around = pending({ unproven: true });
    expect(isUnproven(coinStoreOf([], around), coinOf(0, waiting))).toBe(true);
    expect(isUnproven(coinStoreOf([], around), coinOf(0))).toBe(false);
    expect(isUnproven(coinStoreOf([], pending({})), coinOf(0, waiting))).toBe(false);
    expect(isUnproven(coinStoreOf([]), coinOf(0, waiting))).toBe(false);
  });

  it('of new money has to wait where no block is known', () => {
    const coin = coinOf(0, { coinbase: true });
    expect(
      partOf(
        { ...coinStoreOf([coin]), tip: undefined, holderOf: () => undefined } as never,
        formatOutpoint(coin),
        coin,
      ),
    ).toBe('waiting');
  });
});

describe('the balance', () => {
  const coins = [
    coinOf(0),
    coinOf(1, { keyIndex: 1, ...waiting }),
    coinOf(2),
    coinOf(3),
    coinOf(4),
    coinOf(5, { spentBy: 'cd' }),
    coinOf(6, { kind: 'token' }),
    coinOf(7, { kind: 'token', spentBy: 'cd' }),
    coinOf(8, { kind: 'other' as never }),
  ];
  const coinStore = coinStoreOf(coins, { held: { 2: FROZEN, 3: 'a job' }, disputed: [4], ...pending({}) });

  it('is the sum of each part, and the number of tokens', () => {
    expect(fullBalanceOf(coinStore)).toEqual({
      total: 5_010,
      confirmed: 4_009,
      unconfirmed: 1_001,
      spendable: 1_000,
      elsewhere: 1_001,
      frozen: 1_002,
      locked: 1_003,
      waiting: 1_004,
      tokens: 1,
    });
    expect(balanceOf(coinStore)).toEqual({
      spendable: 2_001,
      confirmed: 4_009,
      unconfirmed: 1_001,
      reserved: 1_003,
      tokens: 1,
    });
  });

  it('is nothing where there are no coins', () => {
    expect(Object.values(fullBalanceOf(coinStoreOf([])))).toEqual(Array.from({ length: 9 }, () => 0));
    const none = { spendable: 0, confirmed: 0, unconfirmed: 0, reserved: 0, tokens: 0 };
    expect(balanceOf(coinStoreOf([]))).toEqual(none);
    expect(balanceOf(undefined)).toEqual(none);
  });
});

describe('the coins that may pay', () => {
  const names = (coinStore: CoinStore, from: 'main' | 'all' = 'all', replaced?: ReadonlySet<string>) =>
    candidatesOf(coinStore, 'mine', from, replaced).map(({ coin }) => coin.vout);

  it('are those of its owner and of nobody, on the main address where only that may pay', () => {
    const coins = [
      coinOf(0),
      coinOf(1, { keyIndex: 1 }),
      coinOf(2),
      coinOf(3),
      coinOf(4, { spentBy: 'cd' }),
      coinOf(5, { kind: 'token' }),
      coinOf(6, { satoshis: satoshis(1) }),
      coinOf(7, { coinbase: true, height: 200 }),
    ];
    const coinStore = coinStoreOf(coins, { held: { 2: 'mine', 3: 'of another' } });
    expect(names(coinStore)).toEqual([0, 1, 2]);
    expect(names(coinStore, 'main')).toEqual([0, 2]);
  });

  it('are those of a signed transaction only for what replaces it', () => {
    const coinStore = coinStoreOf([coinOf(0), coinOf(1)], { signed: { 0: ['aa', 'bb'] } });
    expect(names(coinStore)).toEqual([1]);
    expect(names(coinStore, 'all', new Set(['cc']))).toEqual([1]);
    expect(names(coinStore, 'all', new Set(['bb']))).toEqual([0, 1]);
  });

  it('say whether a block holds them', () => {
    const coinStore = coinStoreOf([coinOf(0), coinOf(1, waiting)], pending({}));
    expect(candidatesOf(coinStore, 'mine', 'all').map(({ confirmed }) => confirmed)).toEqual([true, false]);
  });

  it('are too little by what is missing, and by a satoshi at least', () => {
    const candidates = [coinOf(0), coinOf(1)].map((coin) => ({
      coin: coin as unknown as FundingUtxo,
      confirmed: true,
    }));
    expect(tooLittle(candidates, 3_000, 'an address', 'main')).toMatchObject({
      id: 'wallet.funds-insufficient',
      values: { spendable: 2_001, needed: 3_000, missing: 999 },
      detail: { needed: 3_000, spendable: 2_001 },
    });
    expect(tooLittle(candidates, 2_000, 'an address', 'sandbox')).toMatchObject({
      id: 'wallet.sandbox-funds-insufficient',
      values: { missing: 1 },
    });
    // what is locked, frozen or waiting would be enough
    expect(tooLittle(candidates, 3_000, 'an address', 'sandbox', 998)).toMatchObject({
      id: 'wallet.sandbox-funds-insufficient',
    });
    expect(tooLittle(candidates, 3_000, 'an address', 'sandbox', 999)).toMatchObject({
      id: 'wallet.funds-set-aside',
      values: { spendable: 2_001, needed: 3_000, aside: 999 },
    });
  });
});
