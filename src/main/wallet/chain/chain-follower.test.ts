import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fromHex, hash160, p2pkhScript, satoshis, serializeTx, type Tx, txidOf } from '../../../chain/index.ts';
import { type LiveEvent, type Network, PlanchetError } from '../../../contract/index.ts';
import { other, payment, spending, TestNode } from '../test-support/test-node.ts';
import { type Harness, NO_FEE, WalletOfTest } from '../test-support/test-wallet.ts';
import type { Wallet } from '../wallet.ts';
import { GIVE_UP_AFTER_MS } from './mempool/mempool-scan.ts';

const opened = new WalletOfTest();
let harness: Harness;
let wallet: Wallet;
beforeEach(() => {
  ({ harness, wallet } = opened);
});

const { own, look, settled } = opened;

async function restart(network?: Network): Promise<void> {
  wallet = await opened.restart(network);
}

describe('following the chain', () => {
  it('finds what blocks hold from the first one on, and keeps it over a restart without scanning again', async () => {
    harness.node.mine([payment(own(7_000), own(1)), payment(other(5))]);
    harness.node.mine([payment(own(3_000))]);
    await wallet.start();
    const balance = { spendable: 10_000, confirmed: 10_000, unconfirmed: 0, reserved: 0, tokens: 1 };
    expect(wallet.balance()).toEqual(balance);
    await restart();
    expect(wallet.balance()).toEqual(balance);
    harness.node.calls.length = 0;
    await wallet.start();
    // The height of the tip is asked for once.
    expect(harness.node.calls).toEqual(['getrawmempool', 'getbestblockhash', 'getblockheader']);
    expect(wallet.balance()).toEqual(balance);
  });

  it('scans again for a key that the blocks were not searched for, and keeps what is held', async () => {
    const tokenScript = Uint8Array.of(...p2pkhScript(hash160(fromHex(wallet.tokenPublicKey()))), 0x6a);
    harness.node.mine([payment(own(7_000)), payment({ script: tokenScript, satoshis: 500 })], {
      coinbase: wallet.lockingScript(),
    });
    for (let n = 0; n < 100; n++) harness.node.mine();
    await wallet.start();
    await wallet.reserve('a job', satoshis(5_000_003_000), NO_FEE);
    const [balance, kept] = [wallet.balance(), wallet.nonFundingOutputs()];
    expect(kept).toMatchObject([{ utxo: { satoshis: 500 }, height: 1 }]);

    // as a version left it that knew the wallet's first key alone
    await harness.store.db.updateTable('wallet_state').set({ keys: '' }).execute();
    await harness.store.db.deleteFrom('wallet_coins').where('satoshis', '=', 500).execute();
    await restart();
    expect(wallet.nonFundingOutputs()).toEqual([]);
    await wallet.start();
    await settled();
    expect(wallet.balance()).toEqual(balance);
    expect(wallet.nonFundingOutputs()).toEqual(kept);
    expect(wallet.reserved('a job').map((coin) => coin.satoshis)).toHaveLength(2);

    await restart();
    harness.node.calls.length = 0;
    await wallet.start();
    expect(harness.node.calls).not.toContain('getblock');
  });

  it('goes on with the blocks while the mempool is too large to be listed', async () => {
    harness.node.onCall = (method) => {
      if (method === 'getrawmempool') throw new PlanchetError('upstream.answer-too-large', { origin: 'http://node' });
    };
    harness.node.mine([payment(own(7_000))]);
    await wallet.start();
    expect(wallet.balance().confirmed).toBe(7_000);
  });

  it('takes many blocks in one commit', async () => {
    for (let n = 0; n < 110; n++) harness.node.mine([payment(own(1_000))]);
    const commits = vi.spyOn(harness.store.db, 'transaction');
    await wallet.start();
    expect(wallet.balance().confirmed).toBe(110_000);
    // the height of birth, a hundred blocks and the rest
    expect(commits.mock.calls.length).toBeLessThanOrEqual(4);
  });

  it('reads new blocks when the tip moves and publishes the balance', async () => {
    await wallet.start();
    harness.node.mine([payment(own(5_000))]);
    await settled();
    harness.clock.advance(100);
    const shown = harness.events.filter(
      (event): event is Extract<LiveEvent, { type: 'wallet' }> => event.type === 'wallet',
    );
    expect(shown.at(-1)?.wallet.balance.confirmed).toBe(5_000);
    const before = harness.events.length;
    await look();
    harness.clock.advance(100);
    expect(harness.events).toHaveLength(before);
  });

  it('sees unconfirmed payments by looking at the mempool, a child before its parent too', async () => {
    await wallet.start();
    const parent = payment(own(5_000), own(6_000));
    const child = opened.signed(spending([{ txid: txidOf(parent), vout: 0 }], own(4_000), other(900)), parent);
    harness.node.mempool = [child, parent];
    await look();
    expect(wallet.balance()).toMatchObject({ unconfirmed: 10_000, confirmed: 0, spendable: 10_000 });
    harness.node.mine([parent, child]);
    await look();
    expect(wallet.balance()).toMatchObject({ unconfirmed: 0, confirmed: 10_000 });
  });

  it.each([
    ['is read', () => undefined],
    ['is in a block', (parent: Tx) => void harness.node.mine([parent])],
  ])(
    'sees what a child spends that it read in an earlier part of a full mempool, once its parent %s',
    async (_, then) => {
      await wallet.start();
      const parent = payment(own(5_000), own(6_000));
      const child = opened.signed(spending([{ txid: txidOf(parent), vout: 0 }], other(4_900)), parent);
      const others = Array.from({ length: 500 }, () => payment(other(1_000)));
      harness.node.mempool = [child, ...others, parent];
      await settled();
      expect(wallet.balance().spendable).toBe(0);
      then(parent);
      await settled();
      expect(wallet.balance()).toMatchObject({ spendable: 6_000 });
      expect(wallet.open().coinStore.coins.get(`${txidOf(parent)}_0`)).toMatchObject({ spentBy: txidOf(child) });
    },
  );

  it('reads a transaction again that it could not store', async () => {
    await wallet.start();
    harness.node.mempool = [payment(own(5_000))];
    vi.spyOn(wallet.open().coinStore, 'change').mockRejectedValueOnce(new Error('the disk is full'));
    await settled();
    expect(wallet.balance().unconfirmed).toBe(0);
    await settled();
    expect(wallet.balance().unconfirmed).toBe(5_000);
  });

  it('spends nothing unconfirmed whose id others can change, nor what builds on it', async () => {
    await wallet.start();
    const malleable = { ...payment(own(5_000), own(6_000)), version: 2 };
    const child = opened.signed(spending([{ txid: txidOf(malleable), vout: 0 }], own(4_000), other(900)), malleable);
    const plain = payment(own(1_000));
    harness.node.mempool = [child, malleable, plain];
    await look();
    expect(wallet.balance()).toMatchObject({ unconfirmed: 11_000, spendable: 1_000 });
    await expect(wallet.reserve('job', satoshis(2_000), NO_FEE)).rejects.toMatchObject({ code: 'funds-insufficient' });
    await restart();
    await wallet.start();
    expect(wallet.balance()).toMatchObject({ unconfirmed: 11_000, spendable: 1_000 });
    harness.node.mine([malleable, child]);
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 10_000, spendable: 11_000 });
  });

  it('fetches a full mempool in bounded parts', async () => {
    harness.node.mempool = Array.from({ length: 620 }, () => payment(own(100)));
    await wallet.start();
    expect(wallet.balance().unconfirmed).toBe(50_000);
    await look();
    expect(wallet.balance().unconfirmed).toBe(62_000);
    harness.node.calls.length = 0;
    await look();
    expect(harness.node.calls).not.toContain('getrawtransaction');
  });

  it('lives with a node that is away, says so once, and goes on when it is back', async () => {
    harness.node.offline = true;
    harness.node.mine([payment(own(5_000))]);
    await wallet.start();
    await look();
    await look();
    expect(harness.logged).toHaveLength(1);
    expect(wallet.status().state).toBe('ready');
    harness.node.offline = false;
    await look();
    expect(wallet.balance().confirmed).toBe(5_000);
  });

  it('holds new money back until it may be spent', async () => {
    harness.node.mine([], { coinbase: wallet.lockingScript() });
    await wallet.start();
    expect(wallet.balance()).toMatchObject({ confirmed: 5_000_000_000, spendable: 0 });
    for (let n = 0; n < 98; n++) harness.node.mine();
    await look();
    expect(wallet.balance().spendable).toBe(0);
    await expect(wallet.reserve('job', satoshis(1), NO_FEE)).rejects.toMatchObject({ code: 'funds-insufficient' });
    harness.node.mine();
    await look();
    expect(wallet.balance().spendable).toBe(5_000_000_000);
  });

  it('stops in the middle of a long scan and goes on there', async () => {
    for (let n = 0; n < 60; n++) harness.node.mine([payment(own(1_000))]);
    let seen = 0;
    harness.node.onCall = (method) => {
      if (method === 'getblock' && ++seen === 20) void wallet.stop();
    };
    await wallet.start();
    await wallet.stop();
    expect(wallet.balance().confirmed).toBeGreaterThan(0);
    expect(wallet.balance().confirmed).toBeLessThan(60_000);
    harness.node.onCall = () => undefined;
    await restart();
    harness.node.calls.length = 0;
    await wallet.start();
    expect(wallet.balance().confirmed).toBe(60_000);
    expect(harness.node.calls.filter((method) => method === 'getblock').length).toBeLessThan(45);
  });
});

describe('Wallet.observe', () => {
  it('marks the spent coins and adds the change at once, and again without effect', async () => {
    harness.node.mine([payment(own(10_000))]);
    await wallet.start();
    const coins = await wallet.reserve('job', satoshis(4_000), NO_FEE);
    const tx = spending(coins, { script: wallet.lockingScript(), satoshis: 1 }, own(9_000));
    for (let time = 0; time < 2; time++) {
      await wallet.observe(serializeTx(tx));
      expect(wallet.reserved('job')).toEqual([]);
      expect(wallet.balance()).toEqual({ spendable: 9_000, confirmed: 0, unconfirmed: 9_000, reserved: 0, tokens: 1 });
    }
    await restart();
    expect(wallet.balance()).toMatchObject({ unconfirmed: 9_000, tokens: 1 });
    const next = await wallet.reserve('next', satoshis(1_000), NO_FEE);
    expect(next[0]).toMatchObject({ txid: txidOf(tx), vout: 1 });
    harness.node.mine([tx]);
    await wallet.start();
    await wallet.observe(serializeTx(tx));
    expect(wallet.balance()).toMatchObject({ confirmed: 9_000, unconfirmed: 0 });
  });

  it('frees the coins of a transaction that the node never gets, after a while and not before', async () => {
    harness.node.mine([payment(own(10_000))]);
    await wallet.start();
    const coins = await wallet.reserve('job', satoshis(4_000), NO_FEE);
    await wallet.observe(serializeTx(spending(coins, own(9_000))));
    expect(wallet.balance().spendable).toBe(9_000);
    await look();
    // Its change would be refused by the node now, so it is not offered.
    expect(wallet.balance().spendable).toBe(0);
    harness.clock.advance(GIVE_UP_AFTER_MS - 11_000);
    await settled();
    expect(wallet.balance().confirmed).toBe(0);
    await look();
    await look();
    expect(wallet.balance()).toMatchObject({ spendable: 10_000, confirmed: 10_000, unconfirmed: 0 });
  });

  it('is not undone by a listing of the mempool that was made before it', async () => {
    harness.node.mine([payment(own(10_000))]);
    await wallet.start();
    const coins = await wallet.reserve('job', satoshis(4_000), NO_FEE);
    const tx = serializeTx(spending(coins, own(9_000)));
    let observed: Promise<void> | undefined;
    harness.node.onCall = (method) => {
      if (method === 'getbestblockhash') observed ??= wallet.observe(tx);
    };
    await look();
    await observed;
    expect(wallet.balance().spendable).toBe(9_000);
  });

  it('is undone by another transaction in a block that spends the same coin', async () => {
    harness.node.mine([payment(own(10_000))]);
    await wallet.start();
    const [coin] = await wallet.reserve('job', satoshis(4_000), NO_FEE);
    const ours = spending([coin as never], own(9_000));
    const child = spending([{ txid: txidOf(ours), vout: 0 }], own(8_000));
    await wallet.observe(serializeTx(ours));
    await wallet.observe(serializeTx(child));
    harness.node.mine([spending([coin as never], own(7_000))]);
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 7_000, unconfirmed: 0, spendable: 7_000 });
    await wallet.observe(serializeTx(ours));
    expect(wallet.balance()).toMatchObject({ confirmed: 7_000, unconfirmed: 0 });
  });
});

describe('a chain that changes', () => {
  it('is followed back and forth', async () => {
    const first = payment(own(1_000));
    harness.node.mine([first]);
    const second = payment(own(20_000));
    harness.node.mine([second]);
    await wallet.start();
    const [coin] = await wallet.reserve('job', satoshis(15_000), NO_FEE);
    const spend = spending([coin as never], own(19_000));
    harness.node.mine([spend], { coinbase: wallet.lockingScript() });
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 5_000_020_000, unconfirmed: 0 });
    // The two newest blocks go; their transactions wait again, and the new money of the last block never was.
    harness.node.disconnect(2);
    harness.node.mine();
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 1_000, unconfirmed: 19_000, spendable: 20_000 });
    harness.node.mine([second, spend]);
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 20_000, unconfirmed: 0 });
  });

  it('may be shorter than the old one', async () => {
    for (let n = 0; n < 5; n++) harness.node.mine([payment(own(1_000))]);
    await wallet.start();
    harness.node.disconnect(3);
    harness.node.mempool = [];
    harness.node.mine();
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 2_000, unconfirmed: 3_000 });
    // The next listing of the mempool shows that the node has none of the three any more.
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 2_000, spendable: 2_000 });
  });

  it('may change while it is scanned', async () => {
    for (let n = 0; n < 10; n++) harness.node.mine([payment(own(1_000))]);
    let left = 1;
    harness.node.onCall = (method, [height]) => {
      if (method !== 'getblockhash' || height !== 8 || left-- <= 0) return;
      harness.node.disconnect(5);
      for (let n = 0; n < 4; n++) harness.node.mine([payment(own(10_000))]);
    };
    await wallet.start();
    await look();
    // Five of the old blocks stay; of the others the payments wait in the mempool.
    expect(wallet.balance()).toMatchObject({ confirmed: 45_000, unconfirmed: 5_000 });
  });

  it('frees a coin whose spending is in no block any more and never comes back', async () => {
    const funding = payment(own(1_000));
    harness.node.mine([funding]);
    harness.node.mine([spending([{ txid: txidOf(funding), vout: 0 }], other(900))]);
    await wallet.start();
    expect(wallet.balance().confirmed).toBe(0);
    harness.node.disconnect(1);
    harness.node.mempool = [];
    harness.node.mine();
    await look();
    await look();
    expect(wallet.balance().spendable).toBe(0);
    harness.clock.advance(GIVE_UP_AFTER_MS);
    await settled();
    expect(wallet.balance().spendable).toBe(1_000);
  });

  it('lets another transaction spend what the old chain had spent', async () => {
    const funding = payment(own(1_000));
    const coin = { txid: txidOf(funding), vout: 0 };
    harness.node.mine([funding]);
    harness.node.mine([spending([coin], other(900))]);
    await wallet.start();
    harness.node.disconnect(1);
    harness.node.mine();
    harness.node.mempool = [opened.signed(spending([coin], own(800)), funding)];
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 0, unconfirmed: 800, spendable: 800 });
  });

  it('may be another one altogether: everything is scanned again, and nothing of the old one is left', async () => {
    for (let n = 0; n < 5; n++) harness.node.mine([payment(own(1_000))]);
    await wallet.start();
    await wallet.reserve('job', satoshis(500), NO_FEE);
    await wallet.stop();
    harness.node = new TestNode(1_000);
    for (let n = 0; n < 9; n++) harness.node.mine([payment(own(300))]);
    await restart();
    await wallet.start();
    expect(wallet.balance()).toEqual({ spendable: 2_700, confirmed: 2_700, unconfirmed: 0, reserved: 0, tokens: 0 });
  });

  it('is followed beyond the blocks that are remembered by scanning again', async () => {
    harness.node.mine([payment(own(1_000))]);
    for (let n = 0; n < 1_050; n++) harness.node.mine();
    await wallet.start();
    await settled();
    expect(wallet.balance().confirmed).toBe(1_000);
    harness.node.disconnect(1_030);
    for (let n = 0; n < 40; n++) harness.node.mine([payment(own(2))]);
    await look();
    expect(wallet.balance().confirmed).toBe(1_080);
  });
});
