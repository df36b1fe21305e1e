import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlanchetError } from '../../../contract/index.ts';
import { WalletKeys } from '../keys/wallet-keys.ts';
import { PLAIN_SEAL } from '../test-support/test-accounts.ts';
import { payment, TestNode } from '../test-support/test-node.ts';
import { type Harness, makeHarness } from '../test-support/test-wallet.ts';
import { OpenWallet } from '../test-support/wallet-life.ts';
import { openBackup } from './wallet-backups.ts';

let harnesses: Harness[];
let node: TestNode;
let open: OpenWallet[];
beforeEach(() => {
  harnesses = [];
  open = [];
  node = new TestNode();
});
afterEach(async () => {
  for (const one of open) await one.close();
  for (const harness of harnesses) await harness.remove();
});

async function restore(backup?: string): Promise<OpenWallet> {
  const harness = await makeHarness();
  harnesses.push(harness);
  const one = await OpenWallet.restore(harness, node, backup);
  open.push(one);
  return one;
}

const next = (one: OpenWallet) =>
  one.view.addresses.next({ label: '' }).then(
    ({ index }) => index,
    (error: unknown) => (error as PlanchetError).code,
  );
const pay = (one: OpenWallet, index: number, account = 'main') => {
  const { keys } = one.accounts.get(account).wallet;
  const script = keys.all.find((key) => key.index === index)?.lockingScript as Uint8Array;
  node.mine([payment({ script, satoshis: 5_000 + index })]);
};

describe('a backup file', () => {
  it('says how far addresses were given out: none of them is given out again', async () => {
    const one = await restore();
    for (let n = 1; n <= 20; n++) expect(await next(one)).toBe(n);
    const { text } = await one.view.backup.create({ passphrase: '' });
    const other = await restore(text);
    expect(await next(other)).toBe('conflict');
    pay(other, 3);
    await other.follow();
    expect(await next(other)).toBe(21);
    expect((await other.view.backup.create({ passphrase: '' })).text).not.toBe(text);
  });

  it('says so to a restore of the keys alone, too', async () => {
    const one = await restore();
    await one.accounts.main.wallet.followTo({ index: 310, change: 0 });
    const { text } = await one.view.backup.create({ passphrase: '' });
    const harness = await makeHarness();
    harnesses.push(harness);
    harness.node = node;
    const { seed } = await openBackup(PLAIN_SEAL, text, '');
    await (
      await WalletKeys.open({ network: 'test', secrets: harness.secrets, clock: harness.clock }, false)
    ).restoreSeed(seed);
    const wallet = await harness.open('test');
    pay(one, 310);
    await wallet.start();
    await wallet.follow();
    expect([...wallet.open().coinStore.coins.values()].map(({ keyIndex }) => keyIndex)).toEqual([310]);
    await wallet.stop();
  });

  it('makes the wallet follow keys as far as it says, for each account and for change, also after a restart', {
    tags: 'long',
  }, async () => {
    const one = await restore();
    await one.addAccounts({ further: 1, watched: true } as never);
    const watched = one.accounts.all.find(({ kind }) => kind === 'watch');
    const id = watched?.id as string;
    await one.accounts.main.wallet.followTo({ index: 310, change: 0 });
    await one.accounts.get('3').wallet.followTo({ index: 520, change: 0 });
    await watched?.wallet.followTo({ index: 1, change: 150 });
    await one.follow();
    const { text } = await one.view.backup.create({ passphrase: '' });
    const fromWords = await restore();
    const other = await restore(text);
    await other.restart();
    pay(one, 310);
    pay(one, 520, '3');
    pay(one, 0x2000_0000 + 150, id);
    for (const each of open) await each.follow();
    expect(one.unspent()).toHaveLength(3);
    expect(other.unspent()).toEqual(one.unspent());
    expect(fromWords.unspent()).toEqual([]);
    // read into a wallet that has searched the chain already, it has the blocks searched again
    await fromWords.view.backup.restore({ text, passphrase: '' });
    await fromWords.follow();
    expect(fromWords.unspent()).toEqual(one.unspent());
  });

  it.each(['no accounts', 'no highest index'])('of an earlier version is read: it has %s', async (without) => {
    const one = await restore();
    await one.accounts.create({ name: 'Savings' });
    const { text } = await one.view.backup.create({ passphrase: '' });
    const file = JSON.parse(text);
    const content = JSON.parse(Buffer.from(file.sealed, 'base64').toString('utf8'));
    if (without === 'no accounts') delete content.book;
    else delete content.book.highest;
    delete content.restoredTo;
    file.sealed = Buffer.from(JSON.stringify(content)).toString('base64');
    const other = await restore(JSON.stringify(file));
    expect((await other.accounts.list()).map(({ name }) => name)).toEqual(
      without === 'no accounts' ? [''] : ['', 'Savings'],
    );
    expect(await next(other)).toBe(1);
  });
});

describe('an account of the seed that was removed', () => {
  it('gives out no address a second time when it is made again', async () => {
    const one = await restore();
    const { id } = await one.accounts.create({ name: 'Shop' });
    await one.follow();
    expect([await next(one), await next(one)]).toEqual([1, 2]);
    await one.accounts.remove({ id, loses: false });
    expect((await one.accounts.create({ name: 'Shop' })).id).toBe(id);
    await one.follow();
    expect(await next(one)).toBe(3);
  });
});
