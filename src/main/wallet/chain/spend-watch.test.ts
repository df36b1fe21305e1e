import { beforeEach, describe, expect, it } from 'vitest';
import { formatOutpoint, type Outpoint, txidOf } from '../../../chain/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { candidatesOf } from '../coins/spendable.ts';
import { without } from '../test-support/indexed-chain.ts';
import { INSCRIBED } from '../test-support/inscribed.ts';
import { other, payment, spending } from '../test-support/test-node.ts';
import { type Harness, IndexedWalletOfTest } from '../test-support/test-wallet.ts';
import type { Wallet } from '../wallet.ts';
import { coinsOf } from '../wallet-lists.ts';
import { settleDisputes } from './spend-watch.ts';

const opened = new IndexedWalletOfTest();
const { own, look, spend } = opened;
let harness: Harness;
let wallet: Wallet;
beforeEach(() => {
  ({ harness, wallet } = opened);
});

describe('coins that are asked about by their outpoints', () => {
  const inscription = () => (INSCRIBED.before as (publicKey: string) => Uint8Array)(wallet.publicKey());
  const disputes = () => Object.fromEntries(wallet.open().coinStore.disputes);
  const candidates = () => candidatesOf(wallet.open().coinStore, 'send', 'all').map(({ coin }) => coin.satoshis);

  it('are found to be spent also where they hold an inscription, whose spend no history of an address has', async () => {
    const made = payment({ script: inscription(), satoshis: 1 }, own(5_000));
    harness.node.mine([made]);
    await wallet.start();
    expect(wallet.balance().tokens).toBe(1);
    const gone = spending([{ txid: txidOf(made), vout: 0 }], other(1));
    harness.node.mine([gone]);
    opened.tells = without(gone);
    await look();
    expect(wallet.balance().tokens).toBe(1);
    harness.clock.advance(1_200_000);
    await opened.settled();
    expect(wallet.balance().tokens).toBe(0);
    expect(disputes()).toEqual({});
  });

  it('are not chosen while one of two says that they are spent, also after a restart, until it says so no more', async () => {
    const paid = payment(own(7_000));
    harness.node.mine([paid, payment(own(2_000))]);
    await wallet.start();
    expect(candidates().sort()).toEqual([2_000, 7_000]);
    const outpoint = `${txidOf(paid)}_0`;
    harness.spentBy = (one) =>
      one.txid === txidOf(paid)
        ? { spender: undefined, claimedBy: ['whatsonchain'], deniedBy: ['bananablocks'], silent: [] }
        : undefined;
    harness.clock.advance(1_200_000);
    await opened.settled();
    expect(disputes()).toEqual({ [outpoint]: { sources: ['whatsonchain'], of: 2 } });
    expect(candidates()).toEqual([2_000]);
    expect(wallet.balance()).toMatchObject({ confirmed: 9_000, spendable: 2_000 });
    await expect(wallet.hold('send', [{ txid: txidOf(paid), vout: 0 }])).rejects.toMatchObject({
      id: 'wallet.coin-disputed',
      values: { sources: 'whatsonchain' },
    });
    expect(coinsOf(wallet.open().coinStore, [], new Map()).map(({ dispute }) => dispute)).toEqual([
      { sources: ['whatsonchain'], of: 2 },
      null,
    ]);
    wallet = await opened.restart();
    expect(candidates()).toEqual([2_000]);
    // who is away has taken nothing back
    harness.spentBy = () => ({
      spender: undefined,
      claimedBy: [],
      deniedBy: ['bananablocks'],
      silent: ['whatsonchain'],
    });
    await wallet.start();
    expect(candidates()).toEqual([2_000]);
    harness.spentBy = () => undefined;
    await look();
    expect(disputes()).toEqual({});
    expect(candidates().sort()).toEqual([2_000, 7_000]);
  });

  it('are spent, and disputed no more, once what spends them is there', async () => {
    const paid = payment(own(7_000));
    harness.node.mine([paid]);
    harness.spentBy = () => ({ spender: undefined, claimedBy: ['bananablocks'], deniedBy: [], silent: [] });
    await wallet.start();
    expect(candidates()).toEqual([]);
    harness.spentBy = () => undefined;
    harness.node.mine([spend(paid, other(6_900))]);
    await look();
    await look();
    expect(disputes()).toEqual({});
    expect(wallet.balance().confirmed).toBe(0);
  });

  it("are disputed no more once a node of one's own has them unspent", async () => {
    const [paid, gone] = [payment(own(7_000)), payment(own(2_000))];
    const hidden = spend(gone, other(1_900));
    harness.node.mine([paid, gone]);
    opened.tells = without(hidden);
    await wallet.start();
    harness.node.mine([hidden]);
    harness.spentBy = () => ({ spender: undefined, claimedBy: ['whatsonchain'], deniedBy: [], silent: [] });
    for (let round = 0; round < 2; round++) {
      harness.clock.advance(1_200_000);
      await opened.settled();
    }
    const outpoints = [paid, gone].map((tx) => `${txidOf(tx)}_0`);
    expect(Object.keys(disputes()).sort()).toEqual([...outpoints].sort());
    harness.byIndex = undefined;
    wallet = await opened.restart();
    await wallet.start();
    await look();
    // the other one is spent in a block that was taken while nobody told of it
    expect(Object.keys(disputes())).toEqual([outpoints[1]]);
    expect(candidates()).toEqual([7_000]);
  });

  it('are asked about some at a time, each in its turn, however many somebody calls spent', async () => {
    harness.node.mine([payment(...Array.from({ length: 50 }, (_, n) => own(2_000 + n)))]);
    const asked: number[] = [];
    const lies = { spender: undefined, claimedBy: ['whatsonchain'], deniedBy: [], silent: [] };
    harness.spentBy = ({ vout }) => {
      asked.push(vout);
      return lies;
    };
    await wallet.start();
    for (let pass = 0; pass < 3; pass++) await opened.settled();
    expect(Object.keys(disputes())).toHaveLength(50);
    asked.length = 0;
    await wallet.follow();
    const before = asked.length;
    expect(before).toBeLessThanOrEqual(40);
    for (let pass = 0; pass < 3; pass++) await opened.settled();
    expect(new Set(asked).size).toBe(50);
  });

  it('are asked about again where the clock was put back', async () => {
    harness.node.mine([payment(own(7_000))]);
    let asked = 0;
    harness.spentBy = () => {
      asked += 1;
      return undefined;
    };
    await wallet.start();
    await look();
    asked = 0;
    await look();
    expect(asked).toBe(0);
    harness.clock.advance(-3_600_000);
    await look();
    expect(asked).toBeGreaterThan(0);
    asked = 0;
    await look();
    expect(asked).toBe(0);
  });

  it('are settled some at a time, each in its turn, by who has all blocks', async () => {
    const paid = payment(...Array.from({ length: 50 }, (_, n) => own(2_000 + n)));
    harness.node.mine([paid]);
    await wallet.start();
    const { coinStore } = wallet.open();
    const outpoints = [...coinStore.coins.keys()];
    await coinStore.change((edit) => {
      for (const outpoint of outpoints) edit.dispute(outpoint, { sources: ['whatsonchain'], of: 1 });
    });
    const asked: string[] = [];
    /** All but the last one are away, or spent. */
    const output = async (outpoint: Outpoint) => {
      asked.push(formatOutpoint(outpoint));
      return { basis: 'told', value: { state: asked.length > 40 ? 'unspent' : 'unknown' } };
    };
    const waiting = new Set<string>();
    const chain = { output } as unknown as ChainData;
    for (const left of [50, 50, 30]) {
      await settleDisputes(coinStore, chain, waiting);
      expect(Object.keys(disputes())).toHaveLength(left);
    }
    expect(asked).toHaveLength(60);
    expect(new Set(asked).size).toBe(50);
  });
});
