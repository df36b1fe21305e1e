import { PrivateKey, Utils } from '@bsv/sdk';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { toHex } from '../../../chain/index.ts';
import { toFailure, type WalletSend, type WalletSendRequest } from '../../../contract/index.ts';
import type { SqliteStore } from '../../store/store.ts';
import type { Account, Accounts } from '../accounts/accounts.ts';
import type { WalletTables } from '../tables.ts';
import { KeepingMiner } from '../test-support/keeping-miner.ts';
import { openAccounts } from '../test-support/test-accounts.ts';
import { payment } from '../test-support/test-node.ts';
import { WalletOfTest } from '../test-support/test-wallet.ts';
import type { PaymentsOptions } from './payments.ts';

/** Payments of several transactions with few coins. */
const limits = { inputs: 2, transactions: 3, tokens: 1 };
const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
const OTHER = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
const MAIN_NETWORK = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
const ALICE = 'alice@shop.example';
const BOB = 'bob@shop.example';
/** The public key of the first vector of BIP32, with the version of test networks. */
const XPUB =
  'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8';
const TPUB = Utils.toBase58Check(Utils.fromBase58Check(XPUB, undefined, 4).data as number[], [0x04, 0x35, 0x87, 0xcf]);

const opened = new WalletOfTest();
let accounts: Accounts;
let miner: KeepingMiner;
let main: Account;
/** Transactions that the host of a paymail address was told of, and whether it takes them. */
let told: string[];
let isAwake: boolean;
/** Paymail addresses whose hosts were asked whom to pay. */
let resolved: string[];
beforeEach(async () => {
  miner = new KeepingMiner(opened.harness.node);
  miner.refuses = false;
  told = [];
  isAwake = true;
  resolved = [];
  accounts = await openAccounts(opened, 'sandbox', { merchant: miner, limits, paymails });
  ({ main } = accounts);
  await opened.wallet.start();
  await accounts.start();
  return () => accounts.stop();
});

const paymails: PaymentsOptions['paymails'] = {
  resolve: async (request) => {
    const [{ address: paymail = '', satoshis = 0 } = {}] = request.to;
    resolved.push(paymail);
    const receiver = { paymail, satoshis: Number(satoshis), first: 0, count: 1, reference: `r${resolved.length}` };
    return {
      ...request,
      to: [{ address: paymail === ALICE ? FOREIGN : OTHER, satoshis: Number(satoshis) }],
      paymails: [{ ...receiver, url: 'https://shop.example/', form: 'raw' }],
    };
  },
  tell: async (_, rawTx) => {
    told.push(toHex(rawTx));
    if (!isAwake) throw new Error('asleep');
  },
};

/** Pays an account. */
async function fill({ wallet }: Account, ...values: number[]): Promise<void> {
  opened.harness.node.mine([payment(...values.map((satoshis) => ({ script: wallet.lockingScript(), satoshis })))]);
  await wallet.follow();
}

let keys = 0;
const keyOf = () => `payment-${keys++}`;
const prepare = ({ payments }: Account, request: WalletSendRequest, idempotencyKey = keyOf()): Promise<WalletSend> =>
  payments.prepare({ request: { feeRate: 500, ...request }, idempotencyKey });
const approve = ({ payments }: Account, { id, review }: WalletSend): Promise<WalletSend> =>
  payments.approve({ id, digest: review.digest });
const to = (address: string, satoshis: number | 'all' = 5_000): WalletSendRequest => ({ to: [{ address, satoshis }] });
const idOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => toFailure(error).id,
  );
const statesOf = ({ transactions = [] }: WalletSend) => transactions.map(({ state }) => state);
const spentBy = ({ review }: WalletSend) => review.inputs.map(({ satoshis }) => satoshis).sort((a, b) => a - b);
const rows = () => opened.harness.store.db.selectFrom('wallet_sends').selectAll().execute();

describe('a payment of several transactions', () => {
  const all = to(FOREIGN, 'all');
  beforeEach(() => fill(main, 9_000, 8_000, 7_000, 6_000, 5_000));

  it('is listed as one payment', async () => {
    const { id } = await prepare(main, all);
    expect(await rows()).toHaveLength(3);
    expect(await main.payments.list()).toMatchObject([{ id, transactions: [{}, {}, {}] }]);
    expect([await main.payments.has(id), await main.payments.has('none')]).toEqual([true, false]);
  });

  it.each([
    ['all', 0, 3],
    ['only what was refused', 1, 2],
  ])('is submitted again where it was refused: %s of it', async (_, first, end) => {
    const { id, review } = await prepare(main, all);
    const submit = miner.submit.bind(miner);
    miner.submit = (rawTx) => {
      miner.refuses = miner.kept.size >= first && miner.kept.size < end;
      return submit(rawTx);
    };
    await main.payments.approve({ id, digest: review.digest });
    const refused = statesOf(await main.payments.get(id)).filter((state) => state === 'signed');
    expect(refused).toHaveLength(end - first);
    miner.submit = submit;
    miner.refuses = false;
    expect(statesOf(await main.payments.retry({ id }))).toEqual(['submitted', 'submitted', 'submitted']);
    expect(miner.kept.size).toBe(3);
    expect(await idOf(main.payments.retry({ id }))).toBe('wallet.send-wrong-state');
  });

  it('leaves no transaction where its first one is gone', async () => {
    const { id } = await prepare(main, all);
    await main.payments.stop();
    await opened.wallet.release(`send:${id}`);
    await opened.harness.store.db.deleteFrom('wallet_sends').where('id', '=', id).execute();
    await main.payments.start();
    expect(await rows()).toEqual([]);
    expect(opened.wallet.balance().reserved).toBe(0);
  });
});

describe('what a refused payment of another account asked for', () => {
  let other: Account;
  beforeEach(async () => {
    other = accounts.get((await accounts.create({ name: 'Second' })).id);
    await fill(other, 50_000);
    await fill(main, 50_000);
  });

  async function refuseElsewhere(request: WalletSendRequest): Promise<void> {
    miner.refuses = true;
    await approve(other, await prepare(other, request));
    miner.refuses = false;
  }

  it('is not paid by any transaction of several, whether it was refused before they were reviewed or after', async () => {
    await fill(main, 1, 1, 1, 40_000, 30_000);
    const tokens = [...main.wallet.open().coinStore.coins].flatMap(([outpoint, { satoshis }]) =>
      satoshis === 1 ? outpoint : [],
    );
    const receivers = [main.wallet.address(), main.wallet.address(), FOREIGN];
    const moves = tokens.map((outpoint, at) => ({ outpoint, address: receivers[at] as string }));
    const prepareTokens = () => main.payments.prepareTokens({ moves, idempotencyKey: keyOf() });
    const before = await prepareTokens();
    expect(before.transactions).toHaveLength(3);
    await refuseElsewhere(to(FOREIGN));
    expect(await idOf(approve(main, before))).toBe('wallet.refused-elsewhere');
    await main.payments.cancel(before);
    expect(await idOf(prepareTokens())).toBe('wallet.refused-elsewhere');
    expect(miner.kept.size).toBe(1);
  });

  it('is not paid either where an own address is paid beside it', async () => {
    const both = { to: [...to(other.wallet.address()).to, ...to(FOREIGN).to] };
    await refuseElsewhere(both);
    expect(await idOf(prepare(main, both))).toBe('wallet.refused-elsewhere');
  });

  it('leaves alone what was asked for and signed before', async () => {
    const key = keyOf();
    const send = await prepare(main, to(FOREIGN), key);
    await approve(main, send);
    await refuseElsewhere(to(FOREIGN));
    expect(await prepare(main, to(FOREIGN), key)).toMatchObject({ id: send.id, state: 'submitted' });
    expect(await approve(main, send)).toMatchObject({ id: send.id, state: 'submitted' });
    expect(miner.kept.size).toBe(2);
  });
});

describe('an account', () => {
  it('is not closed while a payment waits for approval, or for its block', async () => {
    await fill(main, 50_000);
    const send = await prepare(main, to(FOREIGN));
    expect(await idOf(main.payments.close('Main'))).toBe('wallet.account-in-use');
    await approve(main, send);
    expect(await idOf(main.payments.close('Main'))).toBe('wallet.account-in-use');
  });

  it('is closed once its payment was cancelled', async () => {
    await fill(main, 50_000);
    const { id } = await prepare(main, to(FOREIGN));
    await main.payments.cancel({ id });
    expect(await idOf(main.payments.close('Main'))).toBeUndefined();
  });

  it('that is watched pays nobody', async () => {
    const { id } = await accounts.watch({ name: 'Shop', xpub: TPUB, birthHeight: 0 });
    expect(await idOf(prepare(accounts.get(id), to(FOREIGN)))).toBe('wallet.watch-only');
  });
});

describe('a payment that nobody could want', () => {
  it.each<[string, WalletSendRequest, string]>([
    ['an address of another network', to(MAIN_NETWORK), 'wallet.address-not-on-sandbox'],
    ['one satoshi, as if it were a token', to(FOREIGN, 1), 'wallet.send-one-satoshi'],
    ['more receivers than can be read again', { to: new Array(501).fill(to(FOREIGN, 50).to[0]) }, 'general.internal'],
    ['more than all money', { to: [...to(FOREIGN, 21e14).to, ...to(OTHER).to] }, 'wallet.sandbox-funds-insufficient'],
    [
      'all to another than the last receiver',
      { to: [...to(FOREIGN, 'all').to, ...to(OTHER).to] },
      'wallet.send-all-not-last',
    ],
  ])('holds nothing: %s', async (_, request, id) => {
    await fill(main, 50_000);
    expect(await idOf(prepare(main, request))).toBe(id);
    expect(await rows()).toEqual([]);
    expect(opened.wallet.balance().reserved).toBe(0);
  });
});

describe('a payment whose database can be written no more once its coins are held', () => {
  /** What the system does where the file was made read-only. */
  const setReadOnly = (so: boolean): void =>
    void (opened.harness.store as SqliteStore<WalletTables>).sqlite.pragma(`query_only = ${so}`);
  const request = { ...to(FOREIGN, 'all'), feeRate: 500 };
  const key = 'payment-whose-database-fails';

  beforeEach(async () => {
    await fill(main, 10_000, 10_000, 10_000, 10_000);
    await main.payments.start();
    const { wallet } = opened;
    const hold = wallet.hold.bind(wallet);
    let held = 0;
    // The first one has transactions of two coins each; the second one holds its coins last.
    vi.spyOn(wallet, 'hold').mockImplementation(async (...coins) => {
      await hold(...coins);
      held += 1;
      if (held === 2) setReadOnly(true);
    });
    expect(await idOf(prepare(main, request, key))).toBe('store.failed-open');
    vi.restoreAllMocks();
    return () => main.payments.stop();
  });

  it('lets go of them when it can be written again', async () => {
    expect(await main.payments.list()).toEqual([]);
    setReadOnly(false);
    const nextTry = () => {
      opened.harness.clock.advance(1_000);
      return rows();
    };
    await expect.poll(nextTry).toEqual([]);
    expect(opened.wallet.balance().reserved).toBe(0);
  });

  it('is refused until it can be written again, and prepared then', async () => {
    expect(await idOf(prepare(main, request, key))).toBe('store.failed-open');
    setReadOnly(false);
    expect(await prepare(main, request, key)).toMatchObject({ state: 'reviewed', canApprove: true });
    expect((await rows()).map(({ state }) => state)).toEqual(['reviewed', 'reviewed']);
  });
});

describe('a payment to a paymail address', () => {
  beforeEach(async () => {
    await fill(main, 50_000);
    await main.payments.start();
    return () => main.payments.stop();
  });

  it('is told to its host once it is sent, and not before, and says whom it could not tell', async () => {
    isAwake = false;
    miner.refuses = true;
    const send = await prepare(main, to(ALICE));
    expect(send.untold).toBeUndefined();
    const { id } = await approve(main, send);
    const refused = await main.payments.get(id);
    expect(refused).toMatchObject({ state: 'signed', untold: [{ paymail: ALICE, failure: null }] });
    miner.refuses = false;
    await fill(main, 50_000);
    // Who is told of another payment is looked for at the same moment.
    const other = await approve(main, await prepare(main, to(BOB)));
    const rawOf = async (of: string | null) => (await rows()).find(({ txid }) => txid === of)?.raw_tx;
    await expect.poll(() => told).toEqual([await rawOf(other.txid)]);
    await main.payments.retry({ id });
    await expect.poll(() => told).toContain(await rawOf(refused.txid));
    await expect
      .poll(async () => (await main.payments.get(id)).untold)
      .toMatchObject([{ failure: { code: expect.any(String) } }]);
  });

  it('keeps its account until its host is told and it is mined, however many payments came after it', async () => {
    isAwake = false;
    const { id } = await approve(main, await prepare(main, to(ALICE)));
    const { db } = opened.harness.store;
    const [first] = await rows();
    const later = Array.from({ length: 200 }, (_, n) => ({
      ...(first as NonNullable<typeof first>),
      id: `later-${n}`,
      idempotency_key: `later-${n}`,
      request: JSON.stringify(to(FOREIGN)),
      state: 'mined' as const,
      txid: n.toString(16).padStart(64, '0'),
      created_at: Number(first?.created_at) + 1 + n,
    }));
    for (const one of later) await db.insertInto('wallet_sends').values(one).execute();
    expect((await main.payments.list()).some((send) => send.id === id)).toBe(false);
    expect(await idOf(main.payments.close('Main'))).toBe('wallet.account-in-use');
    await db.updateTable('wallet_sends').set({ state: 'mined' }).where('id', '=', id).execute();
    expect(await idOf(main.payments.close('Main'))).toBe('wallet.account-untold');
  });

  it('is one payment where it is asked for twice at once, though its host names another reference each time', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => prepare(main, to(ALICE), 'asked-for-twice')));
    expect([other?.id, resolved]).toEqual([one?.id, [ALICE, ALICE]]);
    expect(await idOf(prepare(main, to(BOB), 'asked-for-twice'))).toBe('wallet.send-key-used');
  });

  it('is told again to a host that was asleep, also once a block holds it, and then says nothing of it', async () => {
    isAwake = false;
    const { id } = await approve(main, await prepare(main, to(ALICE)));
    const untold = async () => (await main.payments.get(id)).untold;
    await expect.poll(async () => (await untold())?.[0]?.failure).toBeTruthy();
    await opened.harness.store.db.updateTable('wallet_sends').set({ state: 'mined' }).where('id', '=', id).execute();
    expect(await idOf(main.payments.close('Main'))).toBe('wallet.account-untold');
    isAwake = true;
    opened.harness.clock.advance(15_000);
    await expect.poll(untold).toBeUndefined();
    expect(told).toHaveLength(2);
    expect(await idOf(main.payments.close('Main'))).toBeUndefined();
  });

  it('is one payment for each key, whatever addresses its host gives', async () => {
    const key = keyOf();
    const first = await prepare(main, to(ALICE), key);
    expect((await prepare(main, to(ALICE), key)).id).toBe(first.id);
    expect(await idOf(prepare(main, to(ALICE, 6_000), key))).toBe('wallet.send-key-used');
    expect(await main.payments.list()).toHaveLength(1);
    expect(resolved).toEqual([ALICE]);
  });

  it('takes no token, and no host is asked for one', async () => {
    await fill(main, 1);
    const [token] = [...main.wallet.open().coinStore.coins].find(([, { satoshis }]) => satoshis === 1) ?? [];
    expect(await idOf(prepare(main, { ...to(ALICE, 1), token }))).toBe('wallet.address-length');
    expect(resolved).toEqual([]);
  });

  it('is not paid by another account beside a refused one', async () => {
    const other = accounts.get((await accounts.create({ name: 'Second' })).id);
    await fill(other, 50_000);
    miner.refuses = true;
    await approve(other, await prepare(other, to(ALICE)));
    expect(await idOf(prepare(main, to(ALICE)))).toBe('wallet.refused-elsewhere');
  });
});

describe('coins that are combined', () => {
  it('are those up to the limit, and every coin of a further address', async () => {
    const [, further] = main.wallet.keys.money;
    await fill(main, 9_000, 8_000);
    opened.harness.node.mine([payment({ script: further?.lockingScript as Uint8Array, satoshis: 9_500 })]);
    await main.wallet.follow();
    const send = await main.payments.consolidate({ below: 8_000, feeRate: 500, idempotencyKey: keyOf() });
    expect(spentBy(send)).toEqual([8_000, 9_500]);
  });

  it('are all where no limit is named, in as many transactions as they take, at the price that was named', async () => {
    await fill(main, 9_000, 8_000, 7_000, 6_000, 5_000, 4_000, 3_000, 60);
    const key = keyOf();
    const combine = (idempotencyKey: string, feeRate = 500) => main.payments.consolidate({ feeRate, idempotencyKey });
    const send = await combine(key);
    expect(statesOf(send)).toEqual(['reviewed', 'reviewed', 'reviewed']);
    expect(spentBy(send)).toEqual([4_000, 5_000, 6_000, 7_000, 8_000, 9_000]);
    // 340 bytes each.
    expect([send.request.feeRate, send.review.fee]).toEqual([500, 3 * 170]);
    const said = send.review.checks.flatMap(({ text }) => text).join('\n');
    expect(said).toMatch(/60 satoshis/);
    expect(said).toMatch(/3,?000 satoshis/);
    expect((await combine(key)).id).toBe(send.id);
    expect(spentBy(await combine(keyOf()))).toEqual([3_000]);
    expect(await idOf(combine(keyOf()))).toBe('wallet.send-nothing');
  });

  it.each([
    ['combined', (account: Account) => account.payments.consolidate({ feeRate: 1_000, idempotencyKey: keyOf() })],
    [
      'swept',
      ({ id }: Account) =>
        accounts.sweep({ account: id, feeRate: 1_000, idempotencyKey: keyOf() }).then(({ send }) => send),
    ],
  ])(
    'of an old key, with inputs of 180 bytes, are left where they cost more than they are worth: %s',
    async (_, move) => {
      const wif = Utils.toBase58Check(new PrivateKey(987_654_321).toArray('be', 32), [0xef]);
      const old = accounts.get((await accounts.importKey({ name: 'Old', wif, birthHeight: 0 })).id);
      await fill(old, 9_000, 180, 181);
      expect(spentBy(await move(old))).toEqual([181, 9_000]);
    },
  );
});
