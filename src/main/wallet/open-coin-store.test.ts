import { beforeEach, describe, expect, it } from 'vitest';
import { feeFor, formatOutpoint, satoshis, serializeTx, type Tx, txidOf } from '../../chain/index.ts';
import type { SqliteStore } from '../store/store.ts';
import type { WalletTables } from './tables.ts';
import { FOREIGN_SCRIPT, payment, spending } from './test-support/test-node.ts';
import { type Harness, WalletOfTest } from './test-support/test-wallet.ts';
import type { Wallet } from './wallet.ts';

const fee = (inputs: number) => feeFor(200 + 148 * inputs, { satoshis: 500, bytes: 1_000 });

const opened = new WalletOfTest();
let harness: Harness;
let wallet: Wallet;
beforeEach(() => {
  ({ harness, wallet } = opened);
});

/** Starts the wallet with coins of these values. */
async function startWith(...values: number[]): Promise<void> {
  harness.node.mine(values.map((value) => payment({ script: wallet.lockingScript(), satoshis: value })));
  await wallet.start();
}

const reserve = async (owner: string): Promise<string[]> =>
  (await wallet.reserve(owner, satoshis(5_000), fee)).map(formatOutpoint);

async function lock(): Promise<void> {
  harness.secrets.locked = true;
  await wallet.reload();
}

async function unlock(): Promise<void> {
  harness.secrets.locked = false;
  await wallet.reload();
}

describe('unlocking the wallet', () => {
  it('changes nothing in the store, which may be read-only by now, also where the wallet was restored', async () => {
    const seed = JSON.parse(Buffer.from(harness.secrets.get('seed:sandbox') ?? '').toString());
    await harness.secrets.set('seed:sandbox', Buffer.from(JSON.stringify({ ...seed, restoredTo: 5 })));
    wallet = await opened.restart();
    await startWith(10_000);
    await lock();
    (harness.store as SqliteStore<WalletTables>).sqlite.pragma('query_only = true');
    await unlock();
    expect(wallet.balance().spendable).toBe(10_000);
  });

  it('hands no coin out twice where it is open already and coins are being reserved', async () => {
    await startWith(10_000, 10_001, 10_002, 10_003, 10_004, 10_005, 10_006, 10_007);
    const asked = ['a', 'b', 'c', 'd', 'e', 'f'].map(reserve);
    const [before] = await Promise.all([Promise.all(asked), unlock()]);
    const after = [await reserve('g'), await reserve('h')];
    expect(new Set([...before, ...after].flat()).size).toBe(8);
    expect(wallet.reserved('a').map(formatOutpoint)).toEqual(before[0]);
  });

  it('hands no coin out twice where it happens twice at once', async () => {
    await startWith(10_000, 10_001);
    await lock();
    harness.secrets.locked = false;
    const both = ['a', 'b'].map(async (owner) => {
      await wallet.reload();
      return reserve(owner);
    });
    expect(new Set((await Promise.all(both)).flat()).size).toBe(2);
  });

  it('makes a reservation that comes meanwhile wait for the coins', async () => {
    await startWith(10_000);
    await lock();
    harness.secrets.locked = false;
    const unlocked = wallet.reload();
    expect(await reserve('a')).toHaveLength(1);
    await unlocked;
  });

  it('closes the coin store of before, so that it changes nothing that the next one would miss', async () => {
    await startWith(10_000);
    const { coinStore } = wallet.open();
    const [outpoint] = coinStore.coins.keys();
    await lock();
    await unlock();
    const late = coinStore.change((edit) => edit.hold(outpoint as string, 'late'));
    await expect(late).rejects.toMatchObject({ code: 'not-running' });
    expect(await reserve('a')).toEqual([outpoint]);
  });

  it('keeps the keys behind the first where it is open already, so that no payment to them is missed', async () => {
    const { keys } = wallet;
    keys.followBehind(40);
    const { all } = keys;
    keys.reload();
    expect(keys.all).toBe(all);
  });
});

describe('a locked wallet', () => {
  it.each([
    ['unlocked', async () => unlock()],
    [
      'started again',
      async () => {
        await wallet.stop();
        harness.secrets.locked = false;
        wallet = await opened.open();
      },
    ],
  ])('releases what is given back: it is free once it is %s', async (_, open) => {
    await startWith(10_000, 20_000);
    const kept = await reserve('kept');
    await reserve('send:1');
    await lock();
    await wallet.release('send:1');
    await open();
    expect(wallet.reserved('send:1')).toEqual([]);
    expect(wallet.reserved('kept').map(formatOutpoint)).toEqual(kept);
    expect(await reserve('next')).toHaveLength(1);
  });

  it('releases also while it is being locked or unlocked', async () => {
    await startWith(10_000, 20_000);
    await reserve('a');
    await reserve('b');
    harness.secrets.locked = true;
    await Promise.all([wallet.reload(), wallet.release('a')]);
    harness.secrets.locked = false;
    await Promise.all([wallet.reload(), wallet.release('b')]);
    expect(wallet.balance()).toMatchObject({ spendable: 30_000, reserved: 0 });
    await opened.restart();
    expect(opened.wallet.balance()).toMatchObject({ spendable: 30_000, reserved: 0 });
  });

  it('does not say that an owner holds nothing', async () => {
    await startWith(10_000);
    await reserve('a');
    await lock();
    expect(() => wallet.reserved('a')).toThrow(expect.objectContaining({ code: 'vault-locked' }));
    await expect(wallet.hold('a', [])).rejects.toMatchObject({ code: 'vault-locked' });
  });

  it('notes that a transaction was sent: its coins are not free once it is unlocked, and its change is found', async () => {
    await startWith(10_000, 20_000);
    const [coin] = await wallet.reserve('send:1', satoshis(5_000), fee);
    const change = { script: wallet.lockingScript(), satoshis: 4_000 };
    const sent = spending([coin as { txid: string; vout: number }], change, {
      script: FOREIGN_SCRIPT,
      satoshis: 5_000,
    });
    await lock();
    await wallet.observe(serializeTx(sent));
    await wallet.release('send:1');
    await unlock();
    expect(wallet.balance()).toMatchObject({ spendable: 20_000, reserved: 0 });
    harness.node.mempool = [sent];
    await opened.look();
    expect(wallet.balance()).toMatchObject({ spendable: 24_000, unconfirmed: 4_000 });
    expect(wallet.open().coinStore.transactions.get(txidOf(sent))).toMatchObject({ received: 4_000, owner: 'send:1' });
  });

  it('frees the coins of a transaction that the network lost', async () => {
    await startWith(10_000);
    const [coin] = await wallet.reserve('send:1', satoshis(5_000), fee);
    const sent: Tx = spending([coin as { txid: string; vout: number }], { script: FOREIGN_SCRIPT, satoshis: 9_000 });
    await wallet.observe(serializeTx(sent));
    expect(wallet.balance().spendable).toBe(0);
    await lock();
    await wallet.forget(txidOf(sent));
    await unlock();
    expect(wallet.balance().spendable).toBe(10_000);
  });
});
