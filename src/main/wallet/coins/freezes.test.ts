import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { satoshis, serializeTx, txidOf } from '../../../chain/index.ts';
import { openWithPassphrase, sealWithPassphrase } from '../../vault/passphrase-seal.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { readBackupContent } from '../backup/backup-content.ts';
import { WalletBackups } from '../backup/wallet-backups.ts';
import { walletMigrations } from '../migrations.ts';
import type { WalletTables } from '../tables.ts';
import { contactsOf, openAccounts } from '../test-support/test-accounts.ts';
import { FOREIGN_SCRIPT, payment, spending, TestNode } from '../test-support/test-node.ts';
import { type Harness, NO_FEE, WalletOfTest } from '../test-support/test-wallet.ts';
import type { Wallet } from '../wallet.ts';
import { WalletView } from '../wallet-view.ts';

const PASSPHRASE = 'correct horse';

const opened = new WalletOfTest();
let harness: Harness;
let wallet: Wallet;
let accounts: Accounts;
let view: WalletView;

async function openView(): Promise<void> {
  ({ harness, wallet } = opened);
  accounts = await openAccounts(opened);
  const { store, secrets, clock } = harness;
  const seal = { seal: sealWithPassphrase, open: openWithPassphrase };
  const content = () => readBackupContent({ network: 'sandbox', store, secrets });
  const backups = new WalletBackups({ network: 'sandbox', wallet, store, clock, secrets, seal, content });
  const nothing = (): void => undefined;
  view = new WalletView({
    accounts,
    network: 'sandbox',
    backups,
    contacts: contactsOf(harness, () => accounts),
    store,
    vault: { lock: nothing } as never,
    appPayments: { pay: nothing } as never,
    logger: pino({ level: 'silent' }),
    used: nothing,
    forJob: nothing,
  });
}
beforeEach(async () => {
  await openView();
  return () => accounts.stop();
});

async function restart(): Promise<void> {
  await accounts.stop();
  await opened.restart();
  await openView();
}

const { own } = opened;
const frozen = () => view.balance().frozen;
const spends = (value: number) => wallet.reserve('a job', satoshis(value), NO_FEE);

describe('a frozen coin', () => {
  let funding: ReturnType<typeof payment>;
  let outpoint: string;
  beforeEach(async () => {
    funding = payment(own(5_000));
    outpoint = `${txidOf(funding)}_0`;
    harness.node.mine();
    harness.node.mine([funding]);
    await wallet.start();
    await view.coins.freeze({ outpoints: [outpoint], frozen: true });
    expect(frozen()).toBe(5_000);
  });

  const staysFrozen = async (): Promise<void> => {
    expect(frozen()).toBe(5_000);
    await expect(spends(1_000)).rejects.toMatchObject({ code: 'funds-insufficient' });
  };

  it('stays frozen when the node was at block 0 for a moment', async () => {
    const whole = harness.node.blocks;
    harness.node.blocks = whole.slice(0, 1);
    await opened.look();
    expect(view.balance().total).toBe(0);
    await restart();
    harness.node.blocks = whole;
    await wallet.start();
    await staysFrozen();
  });

  it('stays frozen when the node was behind, did not know its transaction for long, and caught up', async () => {
    const whole = harness.node.blocks;
    harness.node.blocks = whole.slice(0, 2);
    await opened.look();
    await opened.look();
    harness.clock.advance(20 * 60_000);
    await opened.settled();
    expect(view.balance().total).toBe(0);
    harness.node.blocks = whole;
    await opened.look();
    await staysFrozen();
  });

  it('stays frozen when another chain replaced its block and its transaction came back', async () => {
    harness.node.mine();
    await opened.look();
    harness.node.disconnect(2);
    harness.node.mempool = [];
    for (let n = 0; n < 3; n++) harness.node.mine();
    await opened.look();
    harness.clock.advance(20 * 60_000);
    await opened.settled();
    await opened.look();
    harness.clock.advance(20 * 60_000);
    await opened.settled();
    expect(view.balance().total).toBe(0);
    harness.node.mine([funding]);
    await opened.look();
    await staysFrozen();
  });

  it('stays frozen when what spent it elsewhere was given up', async () => {
    const spend = spending([{ txid: txidOf(funding), vout: 0 }], { script: FOREIGN_SCRIPT, satoshis: 4_000 });
    harness.node.mine([spend]);
    await opened.look();
    expect(view.balance().total).toBe(0);
    harness.node.disconnect(1);
    harness.node.mempool = [];
    harness.node.mine();
    await opened.look();
    await opened.look();
    harness.clock.advance(20 * 60_000);
    await opened.settled();
    await staysFrozen();
  });

  it('stays frozen over a lock, a restart and a scan for further keys', async () => {
    harness.secrets.locked = true;
    await accounts.reload();
    harness.secrets.locked = false;
    await accounts.reload();
    await staysFrozen();
    await harness.store.db.updateTable('wallet_state').set({ keys: '' }).execute();
    await restart();
    await wallet.start();
    await staysFrozen();
  });

  it('is thawed by a person, also while its coin is not known', async () => {
    const whole = harness.node.blocks;
    harness.node.blocks = whole.slice(0, 1);
    await opened.look();
    await view.coins.freeze({ outpoints: [outpoint], frozen: false });
    harness.node.blocks = whole;
    await opened.look();
    expect(frozen()).toBe(0);
    expect(await spends(1_000)).toHaveLength(1);
    await expect(view.coins.freeze({ outpoints: [`${'ab'.repeat(32)}_0`], frozen: false })).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(view.coins.freeze({ outpoints: [outpoint], frozen: true })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('comes back frozen with a backup, and is counted once', async () => {
    const { text } = await view.backup.create({ passphrase: PASSPHRASE });
    await view.coins.freeze({ outpoints: [outpoint], frozen: false });
    expect(frozen()).toBe(0);
    const restored = { accounts: 0, labels: 0, frozen: 1 };
    expect(await view.backup.restore({ text, passphrase: PASSPHRASE })).toEqual(restored);
    await staysFrozen();
    expect(await view.backup.restore({ text, passphrase: PASSPHRASE })).toEqual({ ...restored, frozen: 0 });
    await restart();
    await staysFrozen();
  });

  it('of another account stays frozen when the account is removed and added again', async () => {
    await accounts.start();
    const wif = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';
    const add = () => accounts.importKey({ name: 'Paper', wif, birthHeight: 0 });
    const first = await add();
    const script = accounts.get(first.id).wallet.lockingScript();
    const paid = payment({ script, satoshis: 70_000 });
    harness.node.mine([paid]);
    await accounts.get(first.id).wallet.follow();
    await view.coins.freeze({ outpoints: [`${txidOf(paid)}_0`], frozen: true });
    await accounts.remove({ id: first.id, loses: true });
    const again = await add();
    await accounts.get(again.id).wallet.follow();
    expect(again.id).not.toBe(first.id);
    expect(view.balance()).toMatchObject({ frozen: 70_000, spendable: 0 });
  });
});

it('the migration keeps freezes that an earlier version stored as reservations', async () => {
  const paid = payment(own(5_000));
  harness.node.mine([paid]);
  await wallet.start();
  const { db } = harness.store;
  const txid = txidOf(paid);
  const rows: WalletTables['wallet_reservations'][] = ['sandbox', 'sandbox/3'].map((network) => {
    return { network, txid, vout: 0, owner: 'frozen' };
  });
  await db.schema.dropTable('wallet_freezes').execute();
  await db.insertInto('wallet_reservations').values(rows).execute();
  await walletMigrations.find(({ name }) => name === 'wallet-0011-freezes')?.up(db);
  await restart();
  expect(frozen()).toBe(5_000);
  expect(await harness.store.db.selectFrom('wallet_reservations').selectAll().execute()).toEqual([]);
});

describe('when the node has none of the known blocks for a moment', () => {
  const away = async (): Promise<void> => {
    const whole = harness.node.blocks;
    harness.node.blocks = whole.slice(0, 1);
    await opened.look();
    harness.node.blocks = whole;
    await opened.look();
  };

  it('a reservation stays until its owner releases it', async () => {
    harness.node.mine([payment(own(5_000))]);
    await wallet.start();
    const held = await spends(1_000);
    await away();
    expect(wallet.reserved('a job')).toEqual(held);
    await expect(wallet.reserve('another', satoshis(1_000), NO_FEE)).rejects.toMatchObject({
      code: 'funds-insufficient',
    });
    await wallet.release('a job');
    expect(wallet.balance()).toMatchObject({ spendable: 5_000, reserved: 0 });
  });

  it('a coin that a transaction spends which only a miner has is not spent again', async () => {
    harness.node.mine([payment(own(5_000))]);
    await wallet.start();
    const spend = spending(await spends(1_000), { script: FOREIGN_SCRIPT, satoshis: 4_000 });
    await wallet.observe(serializeTx(spend));
    await away();
    await restart();
    await wallet.start();
    expect(wallet.balance()).toMatchObject({ spendable: 0, reserved: 0 });
    harness.node.mine([spend]);
    await opened.look();
    expect(wallet.balance()).toMatchObject({ confirmed: 0 });
  });

  it('and it follows another chain since, nothing of the old one is left', async () => {
    harness.node.mine([payment(own(5_000))]);
    await wallet.start();
    await wallet.observe(serializeTx(spending(await spends(1_000), own(4_000))));
    harness.node = new TestNode(1_000);
    harness.node.mine();
    await opened.look();
    expect(view.balance()).toMatchObject({ total: 0, waiting: 0 });
    await opened.look();
    harness.clock.advance(20 * 60_000);
    await opened.settled();
    await opened.look();
    expect(view.balance()).toMatchObject({ total: 0 });
    expect(wallet.open().coinStore.coins.size).toBe(0);
  });
});
