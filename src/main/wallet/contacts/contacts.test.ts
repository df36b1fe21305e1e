import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodeAddress, fromHex } from '../../../chain/index.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { openAccounts, viewOf } from '../test-support/test-accounts.ts';
import { WalletOfTest } from '../test-support/test-wallet.ts';
import type { WalletView } from '../wallet-view.ts';
import { LookAlikes } from './look-alikes.ts';

const addressOf = (n: number): string => encodeAddress(fromHex(n.toString(16).padStart(40, '0')), 'test');
const ALICE = addressOf(1);
const BOB = addressOf(2);

/** What an attacker looks for, but for its checksum. */
const alike = (address: string): string =>
  `${address.slice(0, 4)}${'z'.repeat(address.length - 8)}${address.slice(-4)}`;

describe('look-alikes', () => {
  it('are other addresses with the same beginning and end, and nothing else', () => {
    const known = new LookAlikes([ALICE, BOB, 'alice@example.com', '']);
    expect(known.of(alike(ALICE))).toBe(ALICE);
    expect(known.of(ALICE)).toBeUndefined();
    expect(known.of(`${ALICE.slice(0, 3)}z${alike(ALICE).slice(4)}`)).toBeUndefined();
    expect(known.of(`${alike(ALICE).slice(0, -1)}z`)).toBeUndefined();
    expect(known.of('alice@example.net')).toBeUndefined();
    expect(known.of('')).toBeUndefined();
  });

  it('are never an address for itself, whatever else is known', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 20, maxLength: 34 }), { maxLength: 20 }), fc.nat(), (all, at) => {
        const address = all[at % Math.max(1, all.length)] ?? ALICE;
        expect(new LookAlikes(all).of(address)).not.toBe(address);
      }),
    );
  });
});

describe('contacts', () => {
  const opened = new WalletOfTest();
  let accounts: Accounts;
  let view: WalletView;
  beforeEach(async () => {
    accounts = await openAccounts(opened);
    view = viewOf(opened.harness, accounts);
    return () => accounts.stop();
  });
  const check = (address: string) => view.validateAddress({ address, paymail: true });

  it('are named, renamed and removed, by name in any case', async () => {
    const { contacts } = view;
    await contacts.save({ address: ` ${BOB} `, name: 'Bob' });
    await contacts.save({ address: 'Mira@Example.com', name: 'Mira' });
    await contacts.save({ address: ALICE, name: 'Alyce' });
    await contacts.save({ address: ALICE, name: 'Alice' });
    expect((await contacts.list()).map(({ name }) => name)).toEqual(['Alice', 'Bob', 'Mira']);
    await expect(contacts.save({ address: addressOf(3), name: 'alice ' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(contacts.save({ address: 'nobody', name: 'Nobody' })).rejects.toMatchObject({
      code: 'address-invalid',
    });
    expect(await check(ALICE)).toMatchObject({ valid: true, contact: 'Alice', resembles: null });
    expect(await check('mira@example.com')).toMatchObject({ valid: true, contact: 'Mira' });
    expect((await contacts.known()).named('ALICE')).toBe(ALICE);
    expect(await view.names([ALICE, BOB])).toEqual(
      new Map([
        [ALICE, 'Alice'],
        [BOB, 'Bob'],
      ]),
    );
    await contacts.remove({ address: ALICE });
    expect(await check(ALICE)).toMatchObject({ contact: null });
  });

  it('cannot be named like an address, which could be taken for their own', async () => {
    const { contacts } = view;
    const onMain = encodeAddress(fromHex('11'.repeat(20)), 'main');
    for (const name of [BOB, ` ${BOB}`, onMain, 'Bob@Example.com'])
      await expect(contacts.save({ address: ALICE, name })).rejects.toMatchObject({
        id: 'wallet.contact-name-address',
      });
    expect(await contacts.list()).toEqual([]);
    expect(await contacts.save({ address: ALICE, name: 'Alice @ work' })).toMatchObject({ name: 'Alice @ work' });
  });

  it('come back with a backup, and what is there stays', async () => {
    const { contacts, backup } = view;
    await contacts.save({ address: ALICE, name: 'Alice' });
    await contacts.save({ address: BOB, name: 'Bob' });
    const { text } = await backup.create({ passphrase: 'a passphrase' });
    await contacts.remove({ address: ALICE });
    await contacts.save({ address: BOB, name: 'Bobby' });
    await backup.restore({ text, passphrase: 'a passphrase' });
    expect(await contacts.list()).toEqual([
      { address: ALICE, name: 'Alice' },
      { address: BOB, name: 'Bobby' },
    ]);
  });

  it('come back from a backup without a name that another address was given since', async () => {
    const { contacts, backup } = view;
    await contacts.save({ address: ALICE, name: 'Älice' });
    const { text } = await backup.create({ passphrase: 'a passphrase' });
    await contacts.remove({ address: ALICE });
    await contacts.save({ address: BOB, name: 'äLICE'.normalize('NFD') });
    const brought = await backup.restore({ text, passphrase: 'a passphrase' });
    expect(brought.labels).toBe(0);
    expect((await contacts.known()).named('Älice')).toBe(BOB);
  });

  it('are none of two that have one name', async () => {
    const { contacts } = view;
    await Promise.all([ALICE, BOB].map((address) => contacts.save({ address, name: 'Twin' })));
    expect((await contacts.known()).named('twin')).toBeUndefined();
  });

  it('warn of an address that looks like a contact or like one that was paid, but not of these themselves', async () => {
    const { contacts } = view;
    const { notesOf } = await contacts.known();
    expect(notesOf(alike(ALICE))).toEqual({ contact: null, resembles: null });
    await contacts.save({ address: ALICE, name: 'Alice' });
    expect((await contacts.known()).notesOf(alike(ALICE)).resembles).toEqual({ address: ALICE, name: 'Alice' });
    const [told] = await contacts.lookAlikeChecks([BOB, alike(ALICE)]);
    expect(told).toMatchObject({ id: 'look-alike', passed: true });
    expect(told?.text).toContain('of your contact Alice');
    expect(await contacts.lookAlikeChecks([ALICE, BOB])).toEqual([]);
    await opened.harness.store.db
      .insertInto('wallet_sends')
      .values(signedSend(BOB) as never)
      .execute();
    expect((await contacts.known()).notesOf(alike(BOB)).resembles).toEqual({ address: BOB, name: null });
  });

  it('are looked for once for each address, however many outputs pay it', async () => {
    const { contacts } = view;
    await contacts.save({ address: ALICE, name: 'Alice' });
    const lookUp = vi.spyOn(LookAlikes.prototype, 'of');
    onTestFinished(() => lookUp.mockRestore());
    expect(await contacts.lookAlikeChecks(new Array(8_000).fill(BOB))).toEqual([]);
    // Among the contacts, and among those that were paid.
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('are shown by their names, and own addresses as own, whatever looks like them', async () => {
    const { contacts } = view;
    await contacts.save({ address: ALICE, name: 'Alice' });
    const own = opened.wallet.address();
    for (const known of [ALICE, own]) {
      const row = { network: 'sandbox' as const, subject: `contact:${alike(known)}`, label: `like ${known}` };
      await opened.harness.store.db.insertInto('wallet_labels').values(row).execute();
    }
    const { notesOf } = await contacts.known();
    expect(notesOf(ALICE)).toEqual({ contact: 'Alice', resembles: null });
    expect(notesOf(own)).toEqual({ contact: null, resembles: null });
  });

  it('are told of in the history of the payments that went to them, paymail addresses among them', async () => {
    const { contacts } = view;
    await contacts.save({ address: BOB, name: 'Bob' });
    await contacts.save({ address: 'mira@example.com', name: 'Mira' });
    const { db } = opened.harness.store;
    const chosen = [{ paymail: 'Mira@Example.com', satoshis: 900, first: 1, count: 1 }];
    for (const send of [signedSend(BOB), signedSend(BOB, chosen), signedSend(ALICE)])
      await db
        .insertInto('wallet_sends')
        .values(send as never)
        .execute();
    expect(await contacts.paidBy()).toEqual(
      new Map([
        [txidAt(0), ['Bob']],
        [txidAt(1), ['Bob', 'Mira']],
      ]),
    );
  });
});

const txidAt = (n: number): string => n.toString(16).padStart(64, '0');
let sends = 0;
beforeEach(() => {
  sends = 0;
});

/** @param paymails whose hosts chose receivers after the first one */
const signedSend = (address: string, paymails: readonly object[] = []) => ({
  id: `send-${sends}`,
  network: 'sandbox',
  idempotency_key: `key-1234${sends}`,
  request: JSON.stringify({
    to: [{ address, satoshis: 500 }, ...paymails.map((_, n) => ({ address: addressOf(50 + n), satoshis: 900 }))],
    ...(paymails.length > 0 && { paymails }),
  }),
  state: 'mined',
  txid: txidAt(sends++),
  halted: 0,
  part_of: null,
  created_at: 1,
  updated_at: 1,
});
