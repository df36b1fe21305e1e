import { PrivateKey, Utils } from '@bsv/sdk';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeAddress, type Outpoint, p2pkhScript } from '../../../chain/index.ts';
import type { PlanchetError, WalletSend, WalletSendRequest } from '../../../contract/index.ts';
import type { Account, Accounts } from '../accounts/accounts.ts';
import { KeepingMiner } from '../test-support/keeping-miner.ts';
import { openAccounts } from '../test-support/test-accounts.ts';
import { payment, spending } from '../test-support/test-node.ts';
import { WalletOfTest } from '../test-support/test-wallet.ts';

/** Payments of several transactions with few coins. */
const limits = { inputs: 2, transactions: 4, tokens: 1 };

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
const OTHER = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
const foreignScript = p2pkhScript(decodeAddress(FOREIGN).pubKeyHash);
/** The public key of the first vector of BIP32, with the version of test networks. */
const XPUB =
  'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8';
const TPUB = Utils.toBase58Check(Utils.fromBase58Check(XPUB, undefined, 4).data as number[], [0x04, 0x35, 0x87, 0xcf]);
const WIF = new PrivateKey(987_654_321).toWif([0xef]);
const REFUSED = { state: 'signed', active: false, failure: { code: 'rejected' } };

const opened = new WalletOfTest();
let accounts: Accounts;
let miner: KeepingMiner;
let main: Account;
beforeEach(async () => {
  miner = new KeepingMiner(opened.harness.node);
  accounts = await openAccounts(opened, 'sandbox', { merchant: miner, limits });
  ({ main } = accounts);
  await opened.wallet.start();
  await accounts.start();
  return () => accounts.stop();
});

/** Pays an account. */
async function fill({ wallet }: Account, ...values: number[]): Promise<void> {
  opened.harness.node.mine([payment(...values.map((satoshis) => ({ script: wallet.lockingScript(), satoshis })))]);
  await wallet.follow();
}

async function paper(): Promise<Account> {
  const { id } = await accounts.importKey({ name: 'Paper', wif: WIF, birthHeight: 0 });
  return accounts.get(id);
}

let keys = 0;
const prepare = ({ payments }: Account, request: WalletSendRequest): Promise<WalletSend> =>
  payments.prepare({ request: { feeRate: 500, ...request }, idempotencyKey: `payment-${keys++}` });
const approve = ({ payments }: Account, { id, review }: WalletSend): Promise<WalletSend> =>
  payments.approve({ id, digest: review.digest });
const idOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (error as PlanchetError).id,
  );

/** A payment that the miner refuses and keeps. */
async function refused(account: Account, request: WalletSendRequest): Promise<string> {
  const send = await approve(account, await prepare(account, request));
  expect(send).toMatchObject(REFUSED);
  return send.txid as string;
}

const to = (address: string, satoshis: number | 'all' = 5_000): WalletSendRequest => ({ to: [{ address, satoshis }] });
const spentBy = ({ review }: WalletSend): number[] => review.inputs.map(({ satoshis }) => satoshis);
const told = ({ review }: WalletSend) =>
  review.checks.filter(({ id }) => id === 'replaces').map(({ passed }) => passed);

describe('what a refused payment of another account asked for', () => {
  it('is not paid beside it, but from that account, in its place', async () => {
    const other = await paper();
    await fill(main, 50_000);
    await fill(other, 50_000);
    const before = await prepare(other, to(FOREIGN));
    const txid = await refused(main, to(FOREIGN));
    await expect(prepare(other, to(FOREIGN))).rejects.toMatchObject({
      id: 'wallet.refused-elsewhere',
      values: { txid },
    });
    // What was prepared before the refusal is not signed after it.
    expect(await idOf(approve(other, before))).toBe('wallet.refused-elsewhere');
    expect(miner.paidTwice(foreignScript)).toEqual([]);
    await other.payments.cancel({ id: before.id });
    expect(await idOf(prepare(other, to(OTHER)))).toBeUndefined();
    const again = await prepare(main, to(FOREIGN));
    expect([told(again), spentBy(again)]).toEqual([[true], [50_000]]);
  });

  it('is not paid either while its account is locked, as nobody knows what became of it', async () => {
    const other = await paper();
    await fill(other, 50_000);
    await fill(main, 50_000);
    await refused(other, to(FOREIGN));
    vi.spyOn(other.wallet, 'coinStore', 'get').mockReturnValue(undefined);
    vi.spyOn(other.wallet, 'fateOf').mockReturnValue('unknown');
    expect(await idOf(prepare(main, to(FOREIGN)))).toBe('wallet.refused-elsewhere');
  });

  it('is told once where a block holds it after all', async () => {
    const other = await paper();
    await fill(other, 50_000);
    await fill(main, 50_000);
    const txid = await refused(other, to(FOREIGN));
    const { node } = opened.harness;
    node.mine([...miner.kept.values()]);
    await other.wallet.follow();
    await expect(prepare(main, to(FOREIGN))).rejects.toMatchObject({ id: 'wallet.refused-mined', values: { txid } });
  });

  it('may be paid where it goes to an address of the wallet', async () => {
    const other = await paper();
    await fill(other, 50_000);
    await fill(main, 50_000);
    await refused(other, to(main.wallet.address()));
    expect(await idOf(prepare(main, to(main.wallet.address())))).toBeUndefined();
  });

  it('is not paid where it goes to a watched address, whose keys may be those of others', async () => {
    const other = await paper();
    await fill(other, 50_000);
    await fill(main, 50_000);
    const { address } = await accounts.watch({ name: 'Shop', xpub: TPUB, birthHeight: 0 });
    await refused(other, to(address as string));
    expect(await idOf(prepare(main, to(address as string)))).toBe('wallet.refused-elsewhere');
  });
});

describe('the account of a refused payment', () => {
  const KEPT = expect.objectContaining({ id: 'wallet.account-refused' });
  const remove = ({ id }: Account) => accounts.remove({ id, loses: true });

  it('is not removed until its coin is taken back: forgotten, the same could be paid twice', async () => {
    const other = await paper();
    await fill(main, 50_000);
    await fill(other, 50_000);
    const txid = await refused(other, to(FOREIGN));
    await expect(remove(other)).rejects.toMatchObject({
      id: 'wallet.account-refused',
      values: { name: 'Paper', txid },
    });
    expect(await idOf(prepare(main, to(FOREIGN)))).toBe('wallet.refused-elsewhere');
    const [coin] = other.wallet.open().coinStore.coins.values();
    const back = spending([coin as Outpoint], { script: other.wallet.lockingScript(), satoshis: 49_000 });
    opened.harness.node.mempool.push(back);
    await other.wallet.follow();
    // The miner that kept the refused one may still prefer it.
    await expect(remove(other)).rejects.toEqual(KEPT);
    opened.harness.node.mine([back]);
    await other.wallet.follow();
    await remove(other);
    expect(accounts.all).toHaveLength(1);
    expect(await idOf(prepare(main, to(FOREIGN)))).toBeUndefined();
  });

  it('is not removed while a miner has the payment after all', async () => {
    const other = await paper();
    await fill(other, 50_000);
    await refused(other, to(FOREIGN));
    opened.harness.node.mempool.push(...miner.kept.values());
    await other.wallet.follow();
    await expect(remove(other)).rejects.toEqual(KEPT);
  });

  it('is not removed while its keys are locked, as nobody knows what became of the payment', async () => {
    const other = accounts.get((await accounts.create({ name: 'Second' })).id);
    await fill(other, 50_000);
    await refused(other, to(FOREIGN));
    opened.harness.secrets.locked = true;
    await accounts.reload();
    expect(other.wallet.coinStore).toBeUndefined();
    await expect(remove(other)).rejects.toEqual(KEPT);
  });

  it('is removed where the payment went to an own address: nobody is paid twice by it', async () => {
    const other = await paper();
    await fill(other, 50_000);
    await refused(other, to(main.wallet.address()));
    await remove(other);
    expect(accounts.all).toHaveLength(1);
  });

  it('is removed where its key is gone: nothing can take the coin back', async () => {
    const other = await paper();
    await fill(other, 50_000);
    await refused(other, to(FOREIGN));
    await opened.harness.secrets.delete(`key:sandbox:${other.id}`);
    await accounts.reload().catch(() => undefined);
    expect(other.wallet.keys.state).toBe('missing');
    await remove(other);
    expect(accounts.all).toHaveLength(1);
  });
});

describe('all that is free, in place of a refused payment', () => {
  it.each([
    ['whose coin is worth less than all others', 500],
    ['whose coin costs more to spend now than it is worth', 80_000],
  ])('spends a coin of one %s in its first transaction', async (_, feeRate) => {
    Object.assign(opened.harness.settings, { maxFeeRate: 1_000_000 });
    await fill(main, 9_000);
    await refused(main, to(FOREIGN));
    await fill(main, 900_000, 800_000, 700_000, 600_000);
    const send = await prepare(main, {
      to: [
        { address: FOREIGN, satoshis: 5_000 },
        { address: OTHER, satoshis: 'all' },
      ],
      feeRate,
    });
    expect(send.review.ok).toBe(true);
    expect(told(send)).toEqual([true]);
    expect(send.transactions?.length).toBe(3);
    expect(spentBy(send).slice(0, 2)).toEqual([9_000, 900_000]);
    await approve(main, send);
    expect(miner.kept.size).toBe(4);
    expect(miner.paidTwice(foreignScript)).toEqual([]);
  });

  it('is not signed where one was refused since its review', async () => {
    await fill(main, 50_000, 40_000);
    const first = await prepare(main, { ...to(FOREIGN), coins: [outpointOf(40_000)] });
    const all = await prepare(main, to(FOREIGN, 'all'));
    expect(told(all)).toEqual([]);
    await approve(main, first);
    expect(await idOf(approve(main, all))).toBe('wallet.send-review-failed');
    expect(miner.paidTwice(foreignScript)).toEqual([]);
  });

  it('says so where the coin of the refused one is frozen', async () => {
    await fill(main, 50_000);
    await refused(main, to(FOREIGN));
    await main.wallet.open().coinStore.change((edit) => edit.setFrozen(outpointOf(50_000), true));
    await fill(main, 40_000);
    expect(await idOf(prepare(main, to(FOREIGN, 'all')))).toBe('wallet.replacement-waits');
  });

  it('goes on where its own first transactions are refused, and is replaced whole', async () => {
    await fill(main, 9_000, 8_000, 7_000, 6_000, 5_000);
    const send = await approve(main, await prepare(main, to(FOREIGN, 'all')));
    expect(send).toMatchObject(REFUSED);
    expect(send.transactions?.map(({ state }) => state)).toEqual(['signed', 'signed', 'signed']);
    const again = await prepare(main, to(FOREIGN, 'all'));
    expect([again.review.ok, told(again)]).toEqual([true, [true]]);
    expect([...spentBy(again)].sort()).toEqual([5_000, 6_000, 7_000, 8_000, 9_000]);
  });
});

describe('a refused move to an own address', () => {
  it('of combined coins is replaced by the next, which says so', async () => {
    await fill(main, 9_000, 8_000);
    const consolidate = (idempotencyKey: string) => main.payments.consolidate({ feeRate: 500, idempotencyKey });
    await approve(main, await consolidate('combine-0'));
    await fill(main, 7_000, 6_000);
    const again = await consolidate('combine-1');
    expect(again.transactions?.length).toBe(2);
    expect([told(again), [...spentBy(again)].sort()]).toEqual([[true], [6_000, 7_000, 8_000, 9_000]]);
    miner.refuses = false;
    expect(await approve(main, again)).toMatchObject({ state: 'submitted', failure: null });
  });

  it('of a swept account is replaced by the next, tokens among it', async () => {
    const other = await paper();
    await fill(other, 9_000, 1);
    const sweep = (idempotencyKey: string) => accounts.sweep({ account: other.id, feeRate: 500, idempotencyKey });
    await approve(other, (await sweep('sweep-0')).send);
    await fill(other, 8_000);
    const { send, left } = await sweep('sweep-1');
    expect([told(send), [...spentBy(send)].sort(), left]).toEqual([[true], [1, 8_000, 9_000], []]);
    miner.refuses = false;
    expect(await approve(other, send)).toMatchObject({ state: 'submitted', failure: null });
  });
});

describe('a wallet whose only coin is in a refused payment', () => {
  it('pays the same with that coin, and says of another payment why it cannot', async () => {
    await fill(main, 50_000);
    const txid = await refused(main, to(FOREIGN));
    await expect(prepare(main, to(OTHER))).rejects.toMatchObject({
      id: 'wallet.funds-held',
      code: 'funds-insufficient',
      values: { txid, spendable: 0 },
    });
    // More than all there is would not be there without it either.
    expect(await idOf(prepare(main, to(OTHER, 60_000)))).toBe('wallet.sandbox-funds-insufficient');
    const again = await prepare(main, to(FOREIGN));
    expect([told(again), spentBy(again)]).toEqual([[true], [50_000]]);
    await main.payments.cancel({ id: again.id });
    // Paid to itself, the coin is taken back.
    const back = await prepare(main, { ...to(main.wallet.address(), 'all'), coins: [outpointOf(50_000)] });
    expect(told(back)).toEqual([true]);
    miner.refuses = false;
    await approve(main, back);
    opened.harness.node.mine([...opened.harness.node.mempool]);
    await main.wallet.follow();
    expect(main.wallet.fateOf(txid)).toEqual({ spentBy: expect.any(String) });
    expect(await idOf(prepare(main, to(OTHER)))).toBeUndefined();
  });
});

/** The unspent coin of so many satoshis of the main account. */
function outpointOf(value: number): string {
  const [outpoint] = [...main.wallet.open().coinStore.coins].find(([, coin]) => coin.satoshis === value) ?? [];
  return outpoint as string;
}
