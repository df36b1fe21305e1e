import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serializeTx, type Tx, txidOf } from '../../../chain/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { ExternalKeys } from '../external/external-keys.ts';
import type { ExternalWallet } from '../external/external-wallet.ts';
import type { WalletKey } from '../keys/wallet-key.ts';
import { openAccounts, viewOf } from '../test-support/test-accounts.ts';
import { FOREIGN_SCRIPT, payment, spending, TestNode } from '../test-support/test-node.ts';
import { type Harness, makeHarness } from '../test-support/test-wallet.ts';
import { Wallet } from '../wallet.ts';
import type { WalletView } from '../wallet-view.ts';
import { searchAgain } from './followed-keys.ts';

const WORDS = `${'abandon '.repeat(11)}about`;

let harness: Harness;
let wallet: Wallet;
let accounts: Accounts;
let view: WalletView;
beforeEach(async () => {
  harness = await makeHarness();
});
afterEach(async () => {
  await wallet.stop();
  await harness.remove();
});

/** Opens what is stored, or restores the words where nothing is. */
async function open(): Promise<void> {
  wallet = await harness.open('test');
  if (wallet.status().state === 'missing') await wallet.restore(WORDS);
  accounts = await openAccounts({ harness, wallet }, 'test');
  view = viewOf(harness, accounts, 'test');
  await wallet.start();
  await wallet.follow();
}

async function restart(): Promise<void> {
  await wallet.stop();
  await harness.reopenStore();
  await open();
}

/** Keys of the first addresses of the words. */
async function keysOfWords(count: number): Promise<readonly WalletKey[]> {
  const other = await makeHarness();
  const known = await other.open('test');
  await known.restore(WORDS);
  known.keys.followBehind(count);
  await other.remove();
  return known.keys.money;
}

const publicKeysOfWords = async (count: number) => (await keysOfWords(count)).map(({ publicKey }) => publicKey);

let scripts: Uint8Array[];
beforeEach(async () => {
  scripts = (await keysOfWords(200)).map(({ lockingScript }) => lockingScript);
});

const pay = (index: number): Tx => payment({ script: scripts[index] as Uint8Array, satoshis: 10_000 + index });
const spend = (tx: Tx): Tx => spending([{ txid: txidOf(tx), vout: 0 }], { script: FOREIGN_SCRIPT, satoshis: 9_000 });
const paidIndices = () =>
  [...wallet.open().coinStore.coins.values()].map(({ keyIndex }) => keyIndex).sort((a, b) => a - b);
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const mineEmpty = (count: number) => {
  for (let n = 0; n < count; n++) harness.node.mine();
};

describe('what a wallet follows', () => {
  it('stays after a restore, 1,100 blocks and a restart: coins that are spent and forgotten say nothing about it', {
    tags: 'long',
  }, async () => {
    const used = Array.from({ length: 120 }, (_, n) => pay(n + 1));
    for (let at = 0; at < used.length; at += 10) harness.node.mine(used.slice(at, at + 10));
    harness.node.mine(used.map(spend));
    mineEmpty(1_100);
    await open();
    expect(paidIndices()).toEqual([]);
    await restart();
    harness.node.mine([pay(115)]);
    await wallet.follow();
    expect(wallet.open().coinStore.coins.size).toBe(1);
    expect((await view.addresses.next({ label: '' })).index).toBe(121);
    expect((await view.addresses.list()).filter(({ used: isUsed }) => isUsed)).toHaveLength(120);
  });

  it('is learned anew by a wallet of an earlier version, which had forgotten its coins', { tags: 'long' }, async () => {
    const used = Array.from({ length: 40 }, (_, n) => pay(n + 1));
    harness.node.mine(used);
    harness.node.mine(used.map(spend));
    mineEmpty(1_100);
    await open();
    await wallet.stop();
    // as the version of before left it
    const { db } = harness.store;
    await db.deleteFrom('wallet_used_keys').execute();
    await db.updateTable('wallet_state').set({ keys: '', searched_to: null }).execute();
    await open();
    expect((await view.addresses.next({ label: '' })).index).toBe(41);
  });
});

describe('a new address', () => {
  it('can be had after every one before was paid, its coin spent and forgotten', async () => {
    await open();
    for (let round = 0; round < 2; round++) {
      const given: number[] = [];
      for (let n = 0; n < 20; n++) given.push((await view.addresses.next({ label: '' })).index);
      expect(await failure(view.addresses.next({ label: '' }))).toMatchObject({ code: 'conflict' });
      const paid = given.map(pay);
      harness.node.mine(paid);
      harness.node.mine(paid.map(spend));
      await wallet.follow();
    }
    mineEmpty(1_100);
    await wallet.follow();
    expect(paidIndices()).toEqual([]);
    await restart();
    expect((await view.addresses.next({ label: '' })).index).toBe(41);
  });

  it('is not had for payments that no block holds, nor for those whose block is gone', async () => {
    await open();
    for (let n = 0; n < 20; n++) await view.addresses.next({ label: '' });
    const last = pay(20);
    harness.node.mempool = [last];
    await wallet.follow();
    expect(await failure(view.addresses.next({ label: '' }))).toMatchObject({ code: 'conflict' });
    harness.node.mine([last]);
    await wallet.follow();
    expect((await view.addresses.next({ label: '' })).index).toBe(21);
    harness.node.disconnect(1);
    harness.node.mempool = [];
    harness.node.mine();
    harness.node.mine();
    await restart();
    expect(await failure(view.addresses.next({ label: '' }))).toMatchObject({ code: 'conflict' });
    harness.node.mine([pay(2)]);
    await wallet.follow();
    expect((await view.addresses.next({ label: '' })).index).toBe(22);
  });

  it('waits for the first search of the chain, which may find that it was given out before', async () => {
    harness.node.mine([pay(5)]);
    wallet = await harness.open('test');
    await wallet.restore(WORDS);
    accounts = await openAccounts({ harness, wallet }, 'test');
    view = viewOf(harness, accounts, 'test');
    expect(await failure(view.addresses.next({ label: '' }))).toMatchObject({ code: 'not-running' });
    harness.node.offline = true;
    await wallet.start();
    expect(await failure(view.addresses.next({ label: '' }))).toMatchObject({ code: 'not-running' });
    harness.node.offline = false;
    expect((await view.addresses.next({ label: '' })).index).toBe(6);
  });
});

describe('a restore from words', () => {
  it('finds what was paid before an address that was given out earlier', async () => {
    harness.node.mine([pay(35)]);
    harness.node.mine([pay(20)]);
    await open();
    expect(paidIndices()).toEqual([20, 35]);
  });

  it('searches blocks again for keys that came in after them, and sees what spent their coins', async () => {
    const early = [pay(150), pay(151)];
    harness.node.mine(early);
    harness.node.mine([spend(early[1] as Tx)]);
    harness.node.mine([pay(95)]);
    await open();
    expect(paidIndices()).toEqual([95, 150, 151]);
    expect(view.balance().total).toBe(20_245);
    const read = () => harness.node.calls.filter((call) => call === 'getblock').length;
    // 95 shows that there may be others, 151 that there may be more
    expect(read()).toBe(12);
    await restart();
    expect(read()).toBe(12);
    expect(paidIndices()).toEqual([95, 150, 151]);
  });

  it('searches blocks again where only an unconfirmed payment shows that there are further keys', async () => {
    harness.node.mine([pay(150)]);
    harness.node.mempool = [pay(95)];
    await open();
    expect(paidIndices()).toEqual([95, 150]);
  });

  it('reads the mempool again for keys that came in after it was read', async () => {
    const late = pay(150);
    harness.node.mempool = [late];
    await open();
    expect(paidIndices()).toEqual([]);
    harness.node.mempool = [late, pay(95)];
    await wallet.follow();
    expect(paidIndices()).toEqual([95, 150]);
  });

  it('searches blocks again for keys that a wallet outside this process has', async () => {
    harness.node.mine([pay(150)]);
    harness.node.mine([pay(95)]);
    const publicKeys = await publicKeysOfWords(400);
    let isClosed = false;
    const answer = async (key: string): Promise<string> => {
      if (isClosed) throw new Error('no wallet answers');
      return key;
    };
    const identityKey = publicKeys[0] as string;
    const signer = {
      known: { identityKey },
      authenticate: () => answer(identityKey),
      publicKey: (index: number) => answer(publicKeys[index] ?? (publicKeys[399] as string)),
    } as ExternalWallet;
    const keys = new ExternalKeys({ network: 'test', wallet: signer, url: '', birthHeight: 0 });
    await keys.prepare(0);
    isClosed = true;
    const { node, store, clock, settings } = harness;
    wallet = await Wallet.openWith(
      {
        network: 'test',
        store,
        clock,
        settings: { current: () => settings },
        chainData: createNodeChainData(node, harness.headers),
        headers: harness.headers,
        notices: { add: () => undefined, dismiss: () => undefined },
        scripts: harness.scripts,
        tips: node,
        events: { publish: () => undefined },
        logger: pino({ level: 'silent' }),
      },
      keys,
    );
    await wallet.start();
    await wallet.follow();
    expect(paidIndices()).toEqual([95]);
    isClosed = false;
    await wallet.follow();
    expect(paidIndices()).toEqual([95, 150]);
  });

  it('holds new money back while its block is read again', async () => {
    await open();
    harness.node.mine([], { coinbase: scripts[0] as Uint8Array });
    mineEmpty(100);
    await wallet.follow();
    expect(wallet.balance().spendable).toBe(5_000_000_000);
    const { coinStore, keys } = wallet.open();
    await coinStore.change((edit) => edit.setState({ searchedTo: null }));
    await searchAgain(coinStore, keys.all, harness.clock.now());
    expect(view.balance()).toMatchObject({ spendable: 0, waiting: 5_000_000_000 });
    await wallet.follow();
    expect(wallet.balance().spendable).toBe(5_000_000_000);
  });

  it('that was interrupted before its second search makes it after the restart', async () => {
    harness.node.mine([pay(150)]);
    harness.node.mine([pay(95)]);
    // the first search ends, and the node goes away before the second one
    harness.node.onCall = (method) => {
      harness.node.offline ||=
        method === 'getblock' && harness.node.calls.filter((call) => call === 'getblock').length > 3;
    };
    await open();
    expect(paidIndices()).toEqual([95]);
    harness.node.onCall = () => undefined;
    harness.node.offline = false;
    await restart();
    expect(paidIndices()).toEqual([95, 150]);
  });

  it('searches only the blocks again that it read since it last was complete', async () => {
    mineEmpty(5);
    await open();
    const coinbase = scripts[0] as Uint8Array;
    harness.node.mine([], { coinbase });
    await wallet.follow();
    const [outpoint] = wallet.open().coinStore.coins.keys();
    const tx = spending([{ txid: outpoint?.slice(0, 64) as string, vout: 0 }], { script: coinbase, satoshis: 7 });
    await wallet.open().coinStore.change((edit) => edit.hold(outpoint as string, 'token:1'));
    await wallet.observe(serializeTx(tx));
    harness.node.calls.length = 0;
    harness.node.mine([pay(95), tx]);
    await wallet.follow();
    const read = () => harness.node.calls.filter((call) => call === 'getblock').length;
    expect(read()).toBe(3);
    // what the history knows of new money and of what spent it stays
    expect(wallet.open().coinStore.transactions.get(txidOf(tx))).toMatchObject({ height: 7, owner: 'token:1' });
    mineEmpty(200);
    await wallet.follow();
    harness.node.calls.length = 0;
    harness.node.mine([pay(150)]);
    await wallet.follow();
    expect(read()).toBe(2);
  });
});

describe('a search for keys that came later', () => {
  it.each([
    ['after a reorganisation', () => harness.node.disconnect(7)],
    ['on another chain', () => (harness.node = new TestNode(1_000_000))],
  ])('begins with the first block that was not searched, %s', async (_, change) => {
    mineEmpty(10);
    await open();
    expect(wallet.open().coinStore.state.searchedTo).toBe(10);
    await wallet.stop();
    change();
    harness.node.mine();
    harness.node.mine([pay(150)]);
    mineEmpty(3);
    harness.node.mine([pay(95)]);
    mineEmpty(6);
    await open();
    expect(paidIndices()).toEqual([95, 150]);
  });
});

describe('a transaction of long ago that is told again', () => {
  it('brings back no coin that was spent and forgotten, and is not waited for', async () => {
    await open();
    const first = pay(0);
    harness.node.mine([first]);
    harness.node.mine([spend(first)]);
    mineEmpty(1_100);
    await wallet.follow();
    const { coinStore } = wallet.open();
    expect(coinStore.coins.size).toBe(0);
    await wallet.observe(serializeTx(first));
    expect(coinStore.coins.size).toBe(0);
    expect(coinStore.pending.size).toBe(0);
    expect(coinStore.transactions.get(txidOf(first))).toMatchObject({ height: 1, received: 10_000 });
  });
});
