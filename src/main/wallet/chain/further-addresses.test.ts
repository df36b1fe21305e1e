import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serializeTx, txidOf } from '../../../chain/index.ts';
import { fullBalanceOf } from '../coins/spendable.ts';
import { FOREIGN_SCRIPT, payment, spending } from '../test-support/test-node.ts';
import { type Harness, makeHarness } from '../test-support/test-wallet.ts';
import type { Wallet } from '../wallet.ts';
import { historyOf } from '../wallet-lists.ts';

const WORDS = `${'abandon '.repeat(11)}about`;

let harness: Harness;
let wallet: Wallet;
beforeEach(async () => {
  harness = await makeHarness();
});
afterEach(async () => {
  await wallet.stop();
  await harness.remove();
});

/** The scripts of the first addresses of the words. */
async function scriptsOf(count: number): Promise<Uint8Array[]> {
  const other = await makeHarness();
  const known = await other.open('test');
  await known.restore(WORDS);
  known.keys.followBehind(count);
  const scripts = known.keys.money.map(({ lockingScript }) => lockingScript);
  await other.remove();
  return scripts;
}

describe('a restored wallet', () => {
  it('finds every address up to the gap limit, however far the last one is', async () => {
    const scripts = await scriptsOf(320);
    const pay = (index: number) => payment({ script: scripts[index] as Uint8Array, satoshis: 1_000 + index });
    // within one block, in any order: each is within the gap of the one before
    harness.node.mine([pay(38), pay(19)]);
    harness.node.mine([pay(58)]);
    harness.node.mine([pay(100)]);
    harness.node.mine([pay(220)]);
    wallet = await harness.open('test');
    await wallet.restore(WORDS);
    await wallet.start();
    const { coinStore } = wallet.open();
    const found = () => [...coinStore.coins.values()].map(({ keyIndex }) => keyIndex).sort((a, b) => a - b);
    // 220 lies 120 behind 100: nobody is given such an address while those between are unused
    expect(found()).toEqual([19, 38, 58, 100]);
    expect(fullBalanceOf(coinStore)).toMatchObject({ spendable: 0, elsewhere: 4_215, total: 4_215 });
    const scanned = harness.node.calls.filter((call) => call === 'getblock').length;
    await wallet.stop();
    wallet = await harness.open('test');
    await wallet.start();
    expect(harness.node.calls.filter((call) => call === 'getblock')).toHaveLength(scanned);
    expect(wallet.keys.money).toHaveLength(200);
  });

  it('has other keys with another passphrase', async () => {
    wallet = await harness.open('test');
    await wallet.restore(WORDS, { passphrase: 'TREZOR' });
    const scripts = await scriptsOf(1);
    expect(wallet.lockingScript()).not.toEqual(scripts[0]);
    // BIP39 with the passphrase TREZOR, then m/44'/1'/0'/0/0
    const address = wallet.address();
    await wallet.stop();
    wallet = await harness.open('test');
    expect(wallet.address()).toBe(address);
  });
});

describe('the history of further addresses', () => {
  it('follows a reorganisation: what left the chain waits again, and new money of a lost block is gone', async () => {
    wallet = await harness.open();
    const own = { script: wallet.lockingScript(), satoshis: 7_000 };
    harness.node.mine([payment(own)]);
    harness.node.mine([], { coinbase: own.script });
    await wallet.start();
    const { coinStore } = wallet.open();
    const entries = () =>
      historyOf(coinStore, new Map()).map(({ amount, height, balance, purpose }) => ({
        amount,
        height,
        balance,
        purpose,
      }));
    expect(entries()).toEqual([
      { amount: 5_000_000_000, height: 2, balance: 5_000_007_000, purpose: 'received' },
      { amount: 7_000, height: 1, balance: 7_000, purpose: 'received' },
    ]);
    harness.node.disconnect(2);
    harness.node.mine([]);
    await wallet.stop();
    await wallet.start();
    expect(entries()).toEqual([{ amount: 7_000, height: null, balance: 7_000, purpose: 'received' }]);
    expect(fullBalanceOf(coinStore)).toMatchObject({ total: 7_000, unconfirmed: 7_000 });
  });
});

describe('notices of payments', () => {
  const told = async () =>
    (await harness.store.db.selectFrom('wallet_notices').selectAll().execute()).map(({ kind, txids, height }) => ({
      kind,
      txids: JSON.parse(txids) as string[],
      height,
    }));

  it('tell once of a reorganisation, and of none that touched nothing of the wallet', async () => {
    wallet = await harness.open();
    const tx = payment({ script: wallet.lockingScript(), satoshis: 7_000 });
    harness.node.mine([]);
    harness.node.mine([tx]);
    harness.node.mine([]);
    await wallet.start();
    harness.node.disconnect(1);
    harness.node.mine([]);
    harness.node.mine([]);
    await wallet.stop();
    await wallet.start();
    expect(await told()).toEqual([]);
    harness.node.disconnect(3);
    harness.node.mine([tx]);
    for (let pass = 0; pass < 3; pass++) {
      await wallet.stop();
      await wallet.start();
    }
    expect(await told()).toEqual([{ kind: 'reorganised', txids: [txidOf(tx)], height: 1 }]);
  });

  it('tell once of a double spend that a block decided', async () => {
    wallet = await harness.open();
    const script = wallet.lockingScript();
    const coin = payment({ script, satoshis: 7_000 });
    harness.node.mine([coin]);
    await wallet.start();
    const spent = { txid: txidOf(coin), vout: 0 };
    const ours = spending([spent], { script, satoshis: 6_000 });
    await wallet.observe(serializeTx(ours));
    harness.node.mine([spending([spent], { script: FOREIGN_SCRIPT, satoshis: 6_900 })]);
    for (let pass = 0; pass < 3; pass++) {
      await wallet.stop();
      await wallet.start();
    }
    expect(await told()).toEqual([{ kind: 'double-spent', txids: [txidOf(ours)], height: null }]);
  });
});
