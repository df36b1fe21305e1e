import { beforeEach, describe, expect, it } from 'vitest';
import { satoshis, serializeTx, txidOf } from '../../../chain/index.ts';
import { other, payment, spending } from '../test-support/test-node.ts';
import { type Harness, NO_FEE, WalletOfTest } from '../test-support/test-wallet.ts';
import type { Wallet } from '../wallet.ts';
import { historyOf } from '../wallet-lists.ts';
import { GIVE_UP_AFTER_MS } from './mempool/mempool-scan.ts';

const opened = new WalletOfTest();
let harness: Harness;
let wallet: Wallet;
beforeEach(() => {
  ({ harness, wallet } = opened);
});

const { own, look, settled } = opened;

async function restart(): Promise<void> {
  wallet = await opened.restart();
}

describe('a lost transaction', () => {
  const history = () =>
    historyOf(wallet.open().coinStore, new Map()).map(({ txid, state, amount, balance }) => ({
      txid,
      state,
      amount,
      balance,
    }));
  const notices = async () =>
    (await harness.store.db.selectFrom('wallet_notices').selectAll().execute()).map(({ kind, txids }) => ({
      kind,
      txids,
    }));

  it('that the node dropped stays in the history, is told of, and may come back', async () => {
    const funding = payment(own(10_000));
    harness.node.mine([funding]);
    await wallet.start();
    const tx = spending(await wallet.reserve('send:1', satoshis(4_000), NO_FEE), own(9_000), other(900));
    const [txid, first] = [txidOf(tx), txidOf(funding)];
    const paid = { txid: first, state: 'confirmed', amount: 10_000, balance: 10_000 };
    await wallet.observe(serializeTx(tx));
    expect(history()).toEqual([{ txid, state: 'unconfirmed', amount: -1_000, balance: 9_000 }, paid]);
    await look();
    expect(await notices()).toEqual([]);
    harness.clock.advance(GIVE_UP_AFTER_MS);
    await settled();
    await look();
    const dropped = { txid, state: 'dropped', amount: -1_000, balance: 10_000 };
    expect(history()).toEqual([dropped, paid]);
    expect(await notices()).toEqual([{ kind: 'dropped', txids: JSON.stringify([txid]) }]);
    await restart();
    expect(history()).toEqual([dropped, paid]);
    await wallet.start();
    harness.node.mine([tx]);
    await look();
    expect(history()).toEqual([{ txid, state: 'confirmed', amount: -1_000, balance: 9_000 }, paid]);
  });

  it('is told of in time also where the clock is put back meanwhile', async () => {
    harness.node.mine([payment(own(10_000))]);
    await wallet.start();
    const tx = spending(await wallet.reserve('send:1', satoshis(4_000), NO_FEE), own(9_000), other(900));
    await wallet.observe(serializeTx(tx));
    await look();
    harness.clock.advance(-3_600_000);
    await look();
    harness.clock.advance(GIVE_UP_AFTER_MS);
    await settled();
    await look();
    expect(await notices()).toEqual([{ kind: 'dropped', txids: JSON.stringify([txidOf(tx)]) }]);
  });

  it('whose coins another one spent stays in the history, with what was built on it', async () => {
    harness.node.mine([payment(own(10_000))]);
    await wallet.start();
    const [coin] = await wallet.reserve('send:1', satoshis(4_000), NO_FEE);
    const ours = spending([coin as never], own(9_000));
    const child = spending([{ txid: txidOf(ours), vout: 0 }], own(8_000));
    await wallet.observe(serializeTx(ours));
    await wallet.observe(serializeTx(child));
    const winner = spending([coin as never], own(7_000));
    harness.node.mine([winner]);
    await look();
    const states = new Map(history().map(({ txid, state }) => [txid, state]));
    expect(states.get(txidOf(ours))).toBe('double-spent');
    expect(states.get(txidOf(child))).toBe('double-spent');
    expect(states.get(txidOf(winner))).toBe('confirmed');
    expect(history().find(({ txid }) => txid === txidOf(winner))?.balance).toBe(wallet.balance().confirmed);
    expect(await notices()).toEqual([{ kind: 'double-spent', txids: JSON.stringify([txidOf(ours)]) }]);
  });
});
