import { PrivateKey } from '@bsv/sdk';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fromHex, serializeTx, toHex, txidOf } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { contractScript } from '../../../token/schema/schema.ts';
import type { SqliteStore } from '../../store/store.ts';
import type { WalletTables } from '../tables.ts';
import { KeepingMiner } from '../test-support/keeping-miner.ts';
import { openAccounts, viewOf } from '../test-support/test-accounts.ts';
import { payment, spending } from '../test-support/test-node.ts';
import { type Harness, TestSecrets, WalletOfTest } from '../test-support/test-wallet.ts';
import type { Accounts } from './accounts.ts';

const WIF = new PrivateKey(987_654_321).toWif([0xef]);

const opened = new WalletOfTest();
let harness: Harness;
let miner: KeepingMiner;
let accounts: Accounts;
beforeEach(async () => {
  ({ harness } = opened);
  miner = new KeepingMiner(harness.node);
  accounts = await openAccounts(opened, 'sandbox', { merchant: miner });
  return () => accounts.stop();
});

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing failed',
    (error: unknown) => (error as PlanchetError).code,
  );

const imported = () => accounts.importKey({ name: 'Paper', wif: WIF, birthHeight: 0 });
const states = async () => (await accounts.list()).map(({ name, state, total }) => [name, state, total]);

async function setLocked(locked: boolean): Promise<void> {
  harness.secrets.locked = locked;
  await accounts.reload();
}

describe('removing an imported key', () => {
  it('is refused while the chain is still searched for its coins, unless they are given up', async () => {
    // Not started: nothing was searched yet.
    const { id } = await imported();
    expect(await codeOf(accounts.remove({ id, loses: false }))).toBe('not-running');
    expect(harness.secrets.kept.has(`key:sandbox:${id}`)).toBe(true);
    await accounts.remove({ id, loses: true });
    expect(harness.secrets.kept.has(`key:sandbox:${id}`)).toBe(false);
    expect(await states()).toHaveLength(1);
  });

  it('is refused while the wallet is locked, whether its coins are given up or not', async () => {
    await accounts.start();
    const { id } = await imported();
    const { wallet } = accounts.get(id);
    harness.node.mine([payment({ script: wallet.lockingScript(), satoshis: 70_000 })]);
    await wallet.follow();
    expect(await codeOf(accounts.remove({ id, loses: false }))).toBe('conflict');
    await setLocked(true);
    for (const loses of [false, true]) expect(await codeOf(accounts.remove({ id, loses }))).toBe('vault-locked');
    await setLocked(false);
    expect(await states()).toContainEqual(['Paper', 'ready', 70_000]);
  });

  it('changes nothing where the key cannot be deleted, and its coins are followed on', async () => {
    await accounts.start();
    const { id } = await imported();
    const { wallet } = accounts.get(id);
    await wallet.follow();
    const full = new PlanchetError({ code: 'disk-full', message: 'The disk is full.' });
    const remove = vi.spyOn(harness.secrets, 'delete').mockRejectedValueOnce(full);
    expect(await codeOf(accounts.remove({ id, loses: false }))).toBe('disk-full');
    remove.mockRestore();
    harness.node.mine([payment({ script: wallet.lockingScript(), satoshis: 70_000 })]);
    await wallet.follow();
    expect(await states()).toContainEqual(['Paper', 'ready', 70_000]);
  });

  it('that was interrupted after the key leaves an account without a key, which is removed again', async () => {
    const { id } = await imported();
    await harness.secrets.delete(`key:sandbox:${id}`);
    accounts = await openAccounts(opened);
    expect(await states()).toEqual([
      ['', 'ready', 0],
      ['Paper', 'missing', 0],
    ]);
    await setLocked(true);
    await setLocked(false);
    expect(() => accounts.get(id).wallet.address()).toThrow(expect.objectContaining({ code: 'vault-damaged' }));
    await accounts.remove({ id, loses: false });
    expect(await states()).toHaveLength(1);
  });
});

describe('bringing back an imported key', () => {
  it('leaves no key without its account where the store cannot be written', async () => {
    const { id } = await imported();
    const view = viewOf(harness, accounts);
    const { text } = await view.backup.create({ passphrase: 'p' });
    await accounts.remove({ id, loses: true });
    const setReadOnly = (so: boolean): void =>
      void (harness.store as SqliteStore<WalletTables>).sqlite.pragma(`query_only = ${so}`);
    const insert = vi.spyOn(harness.secrets, 'set').mockImplementationOnce(async (name, value) => {
      await TestSecrets.prototype.set.call(harness.secrets, name, value);
      setReadOnly(true);
    });
    await expect(view.backup.restore({ text, passphrase: 'p' })).rejects.toMatchObject({ code: 'SQLITE_READONLY' });
    insert.mockRestore();
    setReadOnly(false);
    expect(harness.secrets.kept.has(`key:sandbox:${id}`)).toBe(false);
    expect(await view.backup.restore({ text, passphrase: 'p' })).toMatchObject({ accounts: 1 });
    expect(harness.secrets.kept.has(`key:sandbox:${id}`)).toBe(true);
  });
});

describe('locking the accounts', () => {
  it('locks every account, also where the keys of another cannot be read', async () => {
    await imported();
    vi.spyOn(opened.wallet, 'reload').mockRejectedValueOnce(new Error('no wallet answers'));
    await expect(setLocked(true)).rejects.toThrow('no wallet answers');
    expect(await states()).toContainEqual(['Paper', 'locked', 0]);
  });
});

describe('a sweep of an account', () => {
  const nowhere = { txid: 'fa'.repeat(32), vout: 0 };

  it('leaves a token that may build on nothing, with money for moving it, and takes the rest', async () => {
    await accounts.start();
    const { id } = await imported();
    const { wallet } = accounts.get(id);
    const own = (satoshis: number) => ({ script: wallet.lockingScript(), satoshis });
    const proven = payment(own(40_000), own(1));
    harness.node.mine([proven]);
    const invented = spending([nowhere], own(1));
    harness.node.mempool = [invented];
    await wallet.follow();
    const { send, left } = await accounts.sweep({ account: id, feeRate: 500, idempotencyKey: 'sweep-0' });
    expect(left).toEqual([{ outpoint: `${txidOf(invented)}_0`, satoshis: 1, reason: 'unproven' }]);
    expect(send.review.ok).toBe(true);
    expect(send.review.inputs.map(({ txid }) => txid)).toEqual([txidOf(proven), txidOf(proven)]);
    const change = send.review.outputs.find(({ kind }) => kind === 'change');
    expect(change?.satoshis).toBeGreaterThan(100);
    expect(change?.satoshis).toBeLessThan(1_000);
    expect((await accounts.sweep({ account: id, feeRate: 500, idempotencyKey: 'sweep-0' })).left).toEqual(left);
  });

  it('keeps no more money back for invented tokens than one transaction of them costs', async () => {
    await accounts.start();
    const { id } = await imported();
    const { wallet } = accounts.get(id);
    const own = (satoshis: number) => ({ script: wallet.lockingScript(), satoshis });
    harness.node.mine([payment(own(100_000))]);
    const most = 250;
    harness.node.mempool = [spending([nowhere], ...Array.from({ length: 2 * most }, () => own(1)))];
    await wallet.follow();
    const { send, left } = await accounts.sweep({ account: id, feeRate: 500, idempotencyKey: 'sweep-1' });
    expect(left).toHaveLength(2 * most);
    const change = send.review.outputs.find(({ kind }) => kind === 'change');
    expect(change?.satoshis).toBeLessThan(100 * most);
  });

  it('leaves a contract that can be issued, and takes one that nobody can read with its satoshis', async () => {
    await opened.wallet.start();
    await accounts.start();
    const { id } = await imported();
    const { wallet } = accounts.get(id);
    const issuer = fromHex(wallet.keys.key.pubKeyHash);
    const schema = { symbol: 'CAFE', satsPerToken: 1, totalSupply: 100, tokenId: toHex(issuer) };
    const contract = (numbers: object) => ({
      script: contractScript(issuer, { ...schema, ...numbers }),
      satoshis: 700,
    });
    const paid = payment(contract({}), contract({ satsPerToken: 1_000_000_001 }), {
      script: wallet.lockingScript(),
      satoshis: 50_000,
    });
    harness.node.mine([paid]);
    await wallet.follow();
    const { send, left } = await accounts.sweep({ account: id, feeRate: 500, idempotencyKey: 'sweep-2' });
    expect(left).toEqual([{ outpoint: `${txidOf(paid)}_0`, satoshis: 700, reason: 'contract' }]);
    expect(send.request).toMatchObject({ tokens: [`${txidOf(paid)}_1`], to: [{ satoshis: 700 }, {}] });
    miner.refuses = false;
    const { payments } = accounts.get(id);
    await payments.approve({ id: send.id, digest: send.review.digest });
    harness.node.mine([...harness.node.mempool]);
    await opened.wallet.follow();
    expect([...opened.wallet.open().coinStore.coins.values()].map(({ satoshis }) => satoshis)).toContain(700);
  });

  it('leaves a token that a signed transaction spends, and takes the rest', async () => {
    await accounts.start();
    const { id } = await imported();
    const { wallet } = accounts.get(id);
    const own = (satoshis: number) => ({ script: wallet.lockingScript(), satoshis });
    const [held, free] = [payment(own(1)), payment(own(40_000), own(1))];
    harness.node.mine([held, free]);
    await wallet.follow();
    await wallet.hold('send:1', [{ txid: txidOf(held), vout: 0 }]);
    await wallet.noteSigned('send:1', serializeTx(spending([{ txid: txidOf(held), vout: 0 }], own(1))));
    await wallet.release('send:1');
    const { send } = await accounts.sweep({ account: id, feeRate: 500, idempotencyKey: 'sweep-2' });
    expect(send.review.inputs.map(({ txid }) => txid)).toEqual([txidOf(free), txidOf(free)]);
  });

  it('leaves an output of no satoshis, which is nothing to move', async () => {
    await accounts.start();
    const { id } = await imported();
    const { wallet } = accounts.get(id);
    const own = (satoshis: number) => ({ script: wallet.lockingScript(), satoshis });
    const paid = payment(own(40_000), own(1), own(0));
    harness.node.mine([paid]);
    await wallet.follow();
    const { send, left } = await accounts.sweep({ account: id, feeRate: 500, idempotencyKey: 'sweep-3' });
    expect(send.request).toMatchObject({ tokens: [`${txidOf(paid)}_1`], to: [{ satoshis: 1 }, { satoshis: 'all' }] });
    expect(left).toEqual([{ outpoint: `${txidOf(paid)}_2`, satoshis: 0, reason: 'dust' }]);
    const { payments } = accounts.get(id);
    const request = { token: `${txidOf(paid)}_2`, to: [{ address: opened.wallet.address(), satoshis: 0 }] };
    expect(await codeOf(payments.prepare({ request, idempotencyKey: 'token-of-nothing' }))).toBe('invalid-input');
    expect(await payments.list()).toMatchObject([{ id: send.id }]);
  });
});
