import { beforeEach, describe, expect, it } from 'vitest';
import { type Tx, txidOf } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import { other, payment, spending } from '../../test-support/test-node.ts';
import { type Harness, WalletOfTest } from '../../test-support/test-wallet.ts';
import type { Wallet } from '../../wallet.ts';

const opened = new WalletOfTest();
let harness: Harness;
let wallet: Wallet;
/** Transactions whose bytes the node was asked for. */
let read: unknown[];
beforeEach(async () => {
  ({ harness, wallet } = opened);
  read = [];
  harness.node.onCall = (method, [txid]) => {
    if (method === 'getrawtransaction') read.push(txid);
  };
  await wallet.start();
});

const { own } = opened;
const ids = (...txs: readonly Tx[]): string[] => txs.map((tx) => txidOf(tx));

/** Passes the time in which announced payments are gathered, and no more. */
async function soon(): Promise<void> {
  harness.clock.advance(250);
  await expect.poll(() => wallet.balance(), { interval: 1 }).toBeDefined();
}

describe('a transaction that the node announces', () => {
  it('is there at once where it pays the wallet, without a call for its bytes', async () => {
    const paid = payment(own(5_000));
    harness.node.receive(paid);
    await soon();
    await expect.poll(() => wallet.balance().unconfirmed, { interval: 1 }).toBe(5_000);
    expect(read).not.toContain(txidOf(paid));
  });

  it('is there together with the payment that it spends, which was announced just before', async () => {
    const parent = payment(own(5_000), own(6_000));
    const child = opened.signed(spending([{ txid: txidOf(parent), vout: 0 }], own(4_000), other(900)), parent);
    harness.node.receive(parent, child);
    await soon();
    await expect.poll(() => wallet.balance().unconfirmed, { interval: 1 }).toBe(10_000);
    expect(read).not.toEqual(expect.arrayContaining(ids(parent)));
    expect(read).not.toEqual(expect.arrayContaining(ids(child)));
  });

  it('is never read where it has nothing to do with the wallet, and makes no pass', async () => {
    const calls = harness.node.calls.length;
    const others = Array.from({ length: 620 }, () => payment(other(100)));
    harness.node.receive(...others);
    await soon();
    expect(harness.node.calls).toHaveLength(calls);
    await opened.look();
    await opened.look();
    expect(read).toEqual([]);
  });

  it('is read once it spends a coin that was not known when it came', async () => {
    const funding = payment(own(5_000));
    const spend = opened.signed(spending([{ txid: txidOf(funding), vout: 0 }], other(4_900)), funding);
    harness.node.receive(spend);
    harness.node.mine([funding]);
    await opened.look();
    expect(wallet.balance()).toMatchObject({ confirmed: 0, unconfirmed: 0, spendable: 0 });
    expect(read).toContain(txidOf(spend));
  });

  it.each([
    ['in the same pass', 0],
    ['in a later pass', 600],
  ])('is looked at again once a payment that it spends, and that was not announced, is read %s', async (_, before) => {
    const parent = payment(own(5_000));
    harness.node.mempool.push(...Array.from({ length: before }, () => payment(other(100))), parent);
    const spend = opened.signed(spending([{ txid: txidOf(parent), vout: 0 }], other(4_000)), parent);
    harness.node.receive(spend);
    await opened.look();
    if (before > 0) expect(wallet.balance().unconfirmed).toBe(0);
    await opened.look();
    await opened.look();
    // the payment is spent again by what came before it was known
    expect(wallet.balance()).toMatchObject({ unconfirmed: 0, spendable: 0 });
    expect([...wallet.open().coinStore.transactions.keys()].sort()).toEqual(ids(parent, spend).sort());
  });

  it('is seen where the mempool is too large to be listed', async () => {
    harness.node.onCall = (method) => {
      if (method === 'getrawmempool') throw new PlanchetError('upstream.answer-too-large', { origin: 'http://node' });
    };
    harness.node.receive(payment(own(5_000)), payment(other(7)));
    await soon();
    await expect.poll(() => wallet.balance().unconfirmed, { interval: 1 }).toBe(5_000);
  });

  it('is kept where the chain changes before the pass, also where the mempool is too large to be listed', async () => {
    harness.node.onCall = (method) => {
      if (method === 'getrawmempool') throw new PlanchetError('upstream.answer-too-large', { origin: 'http://node' });
    };
    harness.node.mine();
    await opened.look();
    harness.node.receive(payment(own(5_000)));
    harness.node.disconnect(1);
    harness.node.mine([payment(other(1))]);
    harness.node.mine();
    await opened.look();
    expect(wallet.balance().unconfirmed).toBe(5_000);
  });

  it('is taken by the next pass where the node was away', async () => {
    harness.node.offline = true;
    const paid = payment(own(5_000));
    harness.node.receive(paid);
    await opened.look();
    harness.node.offline = false;
    await opened.look();
    expect(wallet.balance().unconfirmed).toBe(5_000);
    expect(read).not.toContain(txidOf(paid));
  });

  it('is read from the node where more was announced than is held from one pass to the next', async () => {
    const data = new Uint8Array(950_000).fill(0x6a);
    const long = Array.from({ length: 6 }, () => payment(own(1_000), { script: data, satoshis: 0 }));
    harness.node.receive(...long);
    await opened.look();
    await opened.look();
    expect(wallet.balance().unconfirmed).toBe(6_000);
    expect(read).toContain(txidOf(long[5] as Tx));
    expect(read).not.toContain(txidOf(long[4] as Tx));
  });

  it('counts for nothing where the node does not list it', async () => {
    harness.node.receive(payment(own(5_000)));
    harness.node.mempool = [];
    await opened.look();
    expect(wallet.balance().unconfirmed).toBe(0);
  });

  it('is not listened for once the wallet is stopped', async () => {
    await wallet.stop();
    const calls = harness.node.calls.length;
    harness.node.receive(payment(own(5_000)));
    harness.clock.advance(10_000);
    expect(harness.node.calls).toHaveLength(calls);
  });
});
