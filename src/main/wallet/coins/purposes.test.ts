import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { satoshis, serializeTx, type Tx, txidOf } from '../../../chain/index.ts';
import { walletMigrations } from '../migrations.ts';
import { FOREIGN_SCRIPT, payment, spending, TestNode } from '../test-support/test-node.ts';
import { type Harness, makeHarness } from '../test-support/test-wallet.ts';
import { OpenWallet } from '../test-support/wallet-life.ts';

const JOBS = { mint: '0d3c4c1e-6f5b-4c39-9d51-2f0f7a9f6b11', token: 'token:1', writer: 'writer:1' } as const;
const WIF = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';

let harnesses: Harness[];
let node: TestNode;
let open: OpenWallet[];
let one: OpenWallet;
/** Ids of the transactions of the jobs, and of a payment. */
let txids: Record<'mint' | 'token' | 'writer' | 'sent', string>;
beforeEach(async () => {
  harnesses = [];
  open = [];
  node = new TestNode();
  one = await restore();
  const { wallet } = one.accounts.main;
  const script = wallet.lockingScript();
  node.mine([payment(...Array.from({ length: 4 }, () => ({ script, satoshis: 5_000 })))]);
  await one.follow();
  const made = { mint: '', token: '', writer: '', sent: '' };
  for (const [purpose, owner] of Object.entries({ ...JOBS, sent: 'send:1' })) {
    const coins = await wallet.reserve(owner, satoshis(4_000), () => satoshis(0));
    const tx = spending(coins, { script: FOREIGN_SCRIPT, satoshis: 4_000 });
    await wallet.observe(serializeTx(tx));
    node.mine([tx]);
    made[purpose as keyof typeof made] = txidOf(tx);
  }
  txids = made;
  await one.follow();
  await one.view.history.label({ txid: txids.mint, label: 'first mint' });
  await one.view.addresses.label({ address: wallet.address(), label: 'till' });
});
afterEach(async () => {
  for (const each of open) await each.close();
  for (const harness of harnesses) await harness.remove();
});

async function restore(backup?: string): Promise<OpenWallet> {
  const harness = await makeHarness();
  harnesses.push(harness);
  const restored = await OpenWallet.restore(harness, node, backup);
  open.push(restored);
  return restored;
}

async function words(of: OpenWallet): Promise<Record<string, string>> {
  const { entries } = await of.view.history.list({ limit: 100 });
  const found = Object.entries(txids).map(([name, txid]) => {
    const { purpose, label } = entries.find((entry) => entry.txid === txid) ?? { purpose: 'missing', label: '' };
    return [name, `${purpose} ${label}`.trim()];
  });
  return Object.fromEntries(found);
}
const addressLabel = async (of: OpenWallet) => (await of.view.addresses.list())[0]?.label;

const ALL = { mint: 'mint first mint', token: 'token', writer: 'writer', sent: 'sent' };

describe('what transactions were for, and their labels', () => {
  it('stay in the history of a coin store that is begun anew', async () => {
    expect(await words(one)).toEqual(ALL);
    const { blocks } = node;
    node.blocks = blocks.slice(0, 1);
    await one.follow();
    expect(one.accounts.main.wallet.open().coinStore.coins.size).toBe(0);
    node.blocks = blocks;
    await one.follow();
    expect(await words(one)).toEqual(ALL);
    expect(await addressLabel(one)).toBe('till');
    expect(JSON.parse((await one.view.history.export({ format: 'json' })).text)).toContainEqual(
      expect.objectContaining({ txid: txids.mint, purpose: 'mint', label: 'first mint' }),
    );
  });

  it('stay where the wallet had other keys meanwhile', async () => {
    const { db } = (harnesses[0] as Harness).store;
    await db
      .updateTable('wallet_state')
      .set({ owner: 'ab'.repeat(20) })
      .execute();
    await one.restart();
    expect(await words(one)).toEqual(ALL);
  });

  it('come back with a backup, and not with the words alone', async () => {
    const { text } = await one.view.backup.create({ passphrase: '' });
    expect(await words(await restore(text))).toEqual(ALL);
    const fromWords = await restore();
    expect(await words(fromWords)).toEqual({ mint: 'sent', token: 'sent', writer: 'sent', sent: 'sent' });
    await fromWords.view.history.label({ txid: txids.mint, label: 'mine' });
    expect(await fromWords.view.backup.restore({ text, passphrase: '' })).toEqual({
      accounts: 0,
      labels: 1,
      frozen: 0,
    });
    expect(await words(fromWords)).toEqual({ ...ALL, mint: 'mint mine' });
    expect(await addressLabel(fromWords)).toBe('till');
  });

  it('stay when an account is removed and added again, and say nothing of another account', async () => {
    const add = () => one.accounts.importKey({ name: 'Paper', wif: WIF, birthHeight: 0 });
    const first = await add();
    const { wallet } = one.accounts.get(first.id);
    const script = wallet.lockingScript();
    const main = one.accounts.main.wallet;
    const funding = payment({ script, satoshis: 5_000 }, { script: main.lockingScript(), satoshis: 5_000 });
    node.mine([funding]);
    await one.follow();
    const [mint, gift] = [
      { from: wallet, owner: JOBS.mint, to: FOREIGN_SCRIPT },
      { from: main, owner: JOBS.token, to: script },
    ];
    const made: Tx[] = [];
    for (const { from, owner, to } of [mint, gift]) {
      const coins = await from.reserve(owner, satoshis(4_000), () => satoshis(0));
      const tx = spending(coins, { script: to, satoshis: 4_000 });
      await from.observe(serializeTx(tx));
      made.push(tx);
    }
    node.mine(made);
    await one.follow();
    const [minted, given] = made.map((tx) => txidOf(tx)) as [string, string];
    await one.accounts.switch({ id: first.id });
    await one.view.history.label({ txid: minted, label: 'gift' });
    await one.accounts.remove({ id: first.id, loses: true });
    expect(await one.view.find('gift', 9)).toEqual([]);
    const again = await add();
    expect(again.id).not.toBe(first.id);
    await one.follow();
    await one.accounts.switch({ id: again.id });
    const { entries } = await one.view.history.list({ limit: 9 });
    const shown = new Map(entries.map(({ txid, purpose, label }) => [txid, `${purpose} ${label}`.trim()]));
    expect(shown).toEqual(
      new Map([
        [minted, 'mint gift'],
        [given, 'received'],
        [txidOf(funding), 'received'],
      ]),
    );
    expect(await one.view.find('gift', 9)).toMatchObject([{ kind: 'transaction', id: minted }]);
    expect(await one.view.find('till', 9)).toEqual([]);
  });
});

it('the migration keeps what an earlier version knew of purposes, and its labels by account', async () => {
  const { db } = (harnesses[0] as Harness).store;
  await db.schema.dropTable('wallet_purposes').execute();
  await db.deleteFrom('wallet_labels').execute();
  const labels = [
    { network: 'test', subject: 'tx:1', label: 'main' },
    { network: 'test/3', subject: 'tx:1', label: 'other' },
    { network: 'test/3', subject: 'tx:2', label: 'shop' },
  ];
  await db
    .insertInto('wallet_labels')
    .values(labels as never)
    .execute();
  await walletMigrations.find(({ name }) => name === 'wallet-0018-purposes')?.up(db);
  expect(await db.selectFrom('wallet_labels').selectAll().orderBy('subject').execute()).toEqual([
    { network: 'test', subject: 'tx:1', label: 'main' },
    { network: 'test', subject: 'tx:2', label: 'shop' },
  ]);
  const kept = await db
    .selectFrom('wallet_purposes')
    .select(['network', 'txid', 'purpose'])
    .orderBy('purpose')
    .execute();
  expect(kept).toEqual(
    (['mint', 'token', 'writer'] as const).map((purpose) => ({ network: 'test', txid: txids[purpose], purpose })),
  );
});
