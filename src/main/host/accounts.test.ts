import { randomUUID } from 'node:crypto';
import { PrivateKey, Utils } from '@bsv/sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeAddress, fromHex, hash160 } from '../../chain/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { FIRST_MONEY, type TestClient, until, walletFilled } from '../test-support/hosts/open-host.ts';
import { derivePublicChild, parseExtendedKey } from '../wallet/keys/extended-key.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
/** The public key of the first vector of BIP32, with the version of test networks. */
const XPUB =
  'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8';
const TPUB = Utils.toBase58Check(Utils.fromBase58Check(XPUB, undefined, 4).data as number[], [0x04, 0x35, 0x87, 0xcf]);

const hosts = oneHost();
let client: TestClient;
let dataDir: string;
beforeEach(async () => {
  ({ client, dataDir } = await hosts.open({ scope: 'core' }));
  await walletFilled(client);
});

async function failed(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing failed',
    (error: unknown) => failureOf(error).code,
  );
}

/** Pays an address and waits until the active account has the money. */
async function fund(address: string, satoshis: number): Promise<void> {
  const { total, tokens } = await client.wallet.balance();
  await client.sandbox.fund({ address, satoshis });
  await until(async () => {
    const now = await client.wallet.balance();
    return satoshis === 1 ? now.tokens === tokens + 1 : now.total === total + satoshis && now.unconfirmed === 0;
  });
}

const searched = (id: string): Promise<unknown> =>
  until(async () => (await client.wallet.accounts.list()).find((one) => one.id === id)?.searching === false);

async function paid(id: string, digest: string): Promise<void> {
  await client.wallet.send.approve({ id, digest });
  await until(async () => (await client.wallet.send.get({ id })).state === 'mined');
}

describe('accounts', () => {
  it('of the seed have addresses, coins and a history of their own, also after a restart', async () => {
    expect(await client.wallet.accounts.list()).toMatchObject([
      { id: 'main', kind: 'seed', main: true, active: true, canSend: true, total: FIRST_MONEY },
    ]);
    const shop = await client.wallet.accounts.create({ name: 'Shop' });
    expect(shop).toMatchObject({ id: '3', name: 'Shop', active: true, main: false, total: 0 });
    const [first] = await client.wallet.addresses.list();
    expect(first).toMatchObject({ address: shop.address, path: "m/44'/1'/3'/0/0" });
    expect((await client.wallet.addresses.next({ label: 'till' })).path).toBe("m/44'/1'/3'/0/1");
    await fund(shop.address as string, 50_000);
    expect((await client.wallet.history.list({})).entries).toHaveLength(1);
    const request = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    await paid(id, review.digest);
    await until(async () => (await client.wallet.balance()).total === 49_000 - review.fee);
    // mints are paid from the main account, whichever is active
    expect((await client.wallet.status()).balance.spendable).toBe(FIRST_MONEY);
    expect((await client.wallet.accounts.rename({ id: 'main', name: 'Studio' })).name).toBe('Studio');
    await hosts.close();
    ({ client } = await hosts.open({ scope: 'core', dataDir }));
    await searched('3');
    expect(await client.wallet.accounts.list()).toMatchObject([
      { id: 'main', name: 'Studio', active: false, total: FIRST_MONEY },
      { id: '3', name: 'Shop', active: true, address: shop.address, total: 49_000 - review.fee },
    ]);
    expect((await client.wallet.history.list({})).entries).toHaveLength(2);
    expect((await client.wallet.addresses.list()).map(({ label }) => label)).toEqual(['', 'till']);
    await client.wallet.accounts.switch({ id: 'main' });
    expect((await client.wallet.balance()).total).toBe(FIRST_MONEY);
    expect(await client.wallet.send.list()).toEqual([]);
    expect((await client.wallet.send.get({ id })).state).toBe('mined');
    expect(await failed(client.wallet.accounts.switch({ id: '4' }))).toBe('not-found');
    expect((await client.wallet.accounts.create({ name: 'Next' })).id).toBe('4');
  });

  it('keep the label of an address that was asked for before another account became the active one', {
    tags: 'long',
  }, async () => {
    await client.wallet.accounts.create({ name: 'Shop' });
    const asked = client.wallet.addresses.next({ label: 'till' });
    await client.wallet.accounts.switch({ id: 'main' });
    expect(await asked).toMatchObject({ label: 'till', path: "m/44'/1'/3'/0/1" });
    expect((await client.wallet.addresses.list()).map(({ label }) => label)).toEqual(['']);
  });

  it('that watch an extended public key follow it and its change, and send nothing', async () => {
    const account = parseExtendedKey(TPUB);
    const addressOf = (branch: number, index: number): string => {
      const { publicKey } = derivePublicChild(derivePublicChild(account, branch), index);
      return encodeAddress(hash160(fromHex(publicKey)), 'test');
    };
    await client.sandbox.fund({ address: addressOf(0, 0), satoshis: 10_000 });
    await client.sandbox.fund({ address: addressOf(1, 19), satoshis: 20_000 });
    await client.sandbox.fund({ address: addressOf(0, 38), satoshis: 40_000 });
    const watched = await client.wallet.accounts.watch({ name: 'Cold', xpub: ` ${TPUB}\n` });
    expect(watched).toMatchObject({ kind: 'watch', canSend: false, address: addressOf(0, 0) });
    await searched(watched.id);
    expect(await client.wallet.balance()).toMatchObject({ total: 70_000, confirmed: 70_000 });
    expect((await client.wallet.addresses.list()).map(({ path }) => path)).toEqual(['M/0/0', 'M/0/38']);
    const request = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
    const refused = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() }).catch(failureOf);
    expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining('only watches') });
    expect(await client.wallet.send.list()).toEqual([]);
    expect(await failed(client.wallet.sweep({ account: watched.id, idempotencyKey: randomUUID() }))).toBe('conflict');
    expect(await failed(client.wallet.accounts.watch({ name: 'Again', xpub: TPUB }))).toBe('conflict');
    for (const xpub of [XPUB, TPUB.slice(1), 'tpub', new PrivateKey(5).toWif([0xef])]) {
      expect(await failed(client.wallet.accounts.watch({ name: 'Bad', xpub }))).toBe('invalid-input');
    }
    await client.wallet.lock();
    expect(await client.wallet.accounts.list()).toMatchObject([{ state: 'locked' }, { state: 'ready', total: 70_000 }]);
  });
});

describe('a backup', () => {
  const passphrase = 'correct horse';

  it('brings back the accounts, imported keys and labels, and leaves what is there', { tags: 'long' }, async () => {
    const { accounts, addresses, history, backup } = client.wallet;
    await accounts.rename({ id: 'main', name: 'Studio' });
    const [first] = (await history.list({})).entries;
    await history.label({ txid: first?.txid as string, label: 'faucet' });
    const shop = await accounts.create({ name: 'Shop' });
    await addresses.label({ address: shop.address as string, label: 'till' });
    const paper = await accounts.importKey({ name: 'Paper', wif: new PrivateKey(77).toWif([0xef]) });
    const cold = await accounts.watch({ name: 'Cold', xpub: TPUB });
    const { text } = await backup.create({ passphrase });
    expect(text).not.toContain('till');
    expect(await client.wallet.backup.restore({ text, passphrase })).toEqual({ accounts: 0, labels: 0, frozen: 0 });

    await accounts.switch({ id: shop.id });
    await addresses.label({ address: shop.address as string, label: '' });
    for (const { id } of [shop, paper, cold]) {
      await searched(id);
      await accounts.remove({ id });
    }
    await history.label({ txid: first?.txid as string, label: 'first money' });
    expect(await client.wallet.backup.restore({ text, passphrase })).toEqual({ accounts: 3, labels: 1, frozen: 0 });
    const shown = (await accounts.list()).map(({ id, name, kind, address }) => ({ id, name, kind, address }));
    expect(shown.slice(1)).toEqual(
      [shop, paper, cold].map(({ id, name, kind, address }) => ({ id, name, kind, address })),
    );
    await accounts.switch({ id: shop.id });
    expect((await addresses.list()).map(({ label }) => label)).toEqual(['till']);
    await accounts.switch({ id: 'main' });
    expect((await history.list({})).entries.find(({ txid }) => txid === first?.txid)?.label).toBe('first money');
    expect(await failed(client.wallet.backup.restore({ text, passphrase: 'another' }))).toBe('vault-passphrase-wrong');

    // Added by hand since, they have other ids: one key has one account.
    for (const { id } of [paper, cold]) {
      await searched(id);
      await accounts.remove({ id });
    }
    await accounts.importKey({ name: 'Paper again', wif: new PrivateKey(77).toWif([0xef]) });
    await accounts.watch({ name: 'Cold again', xpub: TPUB });
    expect(await client.wallet.backup.restore({ text, passphrase })).toEqual({ accounts: 0, labels: 0, frozen: 0 });
    expect((await accounts.list()).map(({ name }) => name)).toEqual(['Studio', 'Shop', 'Paper again', 'Cold again']);
  });
});

describe('removing an account', () => {
  it('is refused while it has something or a payment of it is under way, and forgets the key with the rest', async () => {
    expect(await failed(client.wallet.accounts.remove({ id: 'main' }))).toBe('conflict');
    const wif = new PrivateKey(31).toWif([0xef]);
    const paper = await client.wallet.accounts.importKey({ name: 'Paper', wif });
    await searched(paper.id);
    await fund(paper.address as string, 20_000);
    await client.wallet.history.label({
      txid: (await client.wallet.history.list({})).entries[0]?.txid as string,
      label: 'gift',
    });
    const notEmpty = await client.wallet.accounts.remove({ id: paper.id }).catch(failureOf);
    expect(notEmpty).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('20,000 satoshis and 0 tokens'),
    });
    const request = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
    const { id } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    const inUse = await client.wallet.accounts.remove({ id: paper.id, loses: true }).catch(failureOf);
    expect(inUse).toMatchObject({ code: 'conflict', message: expect.stringContaining('under way') });
    await client.wallet.send.cancel({ id });

    await client.wallet.accounts.remove({ id: paper.id, loses: true });
    expect(await client.wallet.accounts.list()).toMatchObject([{ id: 'main', active: true, total: FIRST_MONEY }]);
    await hosts.close();
    ({ client } = await hosts.open({ scope: 'core', dataDir }));
    expect(await client.wallet.accounts.list()).toMatchObject([{ id: 'main' }]);
    const again = await client.wallet.accounts.importKey({ name: 'Paper', wif });
    expect(again.id).not.toBe(paper.id);
    await searched(again.id);
    expect((await client.wallet.history.list({})).entries).toMatchObject([{ amount: 20_000, label: 'gift' }]);
  });
});

describe('a sweep of an imported key', () => {
  it.each([
    ['as wallets write it', new PrivateKey(77_777).toWif([0xef])],
    [
      'from an old paper wallet, with a long public key',
      Utils.toBase58Check(new PrivateKey(88_888).toArray('be', 32), [0xef]),
    ],
  ])('%s, moves tokens one to one and all of the money', async (_, wif) => {
    const key = await client.wallet.accounts.importKey({ name: 'Paper', wif });
    expect(key).toMatchObject({ kind: 'key', canSend: true, active: true });
    expect(await failed(client.wallet.accounts.importKey({ name: 'Again', wif }))).toBe('conflict');
    expect(await failed(client.wallet.addresses.next({}))).toBe('conflict');
    const address = key.address as string;
    await fund(address, 1);
    await fund(address, 30_000);
    await fund(address, 1);
    await fund(address, 12_000);
    await searched(key.id);
    const { send, left } = await client.wallet.sweep({ account: key.id, idempotencyKey: randomUUID() });
    expect(left).toEqual([]);
    expect(send.review.checks.filter(({ passed }) => !passed)).toEqual([]);
    expect(send.review.outputs.map(({ satoshis }) => satoshis)).toEqual([1, 1, 42_000 - send.review.fee]);
    expect(send.review.inputs.slice(0, 2).map(({ satoshis }) => satoshis)).toEqual([1, 1]);
    await paid(send.id, send.review.digest);
    await until(async () => (await client.wallet.balance()).total === 0);
    expect((await client.wallet.balance()).tokens).toBe(0);
    await client.wallet.accounts.switch({ id: 'main' });
    await until(async () => (await client.wallet.balance()).total === FIRST_MONEY + 42_000 - send.review.fee);
    expect((await client.wallet.balance()).tokens).toBe(2);
  });

  it('says what it cannot do', async () => {
    const sweep = (account: string): Promise<string> =>
      failed(client.wallet.sweep({ account, idempotencyKey: randomUUID() }));
    expect(await sweep('main')).toBe('invalid-input');
    const bad = {
      'another network': new PrivateKey(5).toWif(),
      'its checksum': new PrivateKey(5).toWif([0xef]).slice(1),
      BIP38: '6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg',
      'no private key': Utils.toBase58Check([...new Array(32).fill(0), 1], [0xef]),
    };
    for (const [why, wif] of Object.entries(bad)) {
      const refused = failureOf(await client.wallet.accounts.importKey({ name: 'x', wif }).catch((error) => error));
      expect(refused).toMatchObject({ code: 'invalid-input', message: expect.stringContaining(why) });
      expect(refused.message).not.toContain(wif);
    }
    const { id, address } = await client.wallet.accounts.importKey({
      name: 'Token',
      wif: new PrivateKey(99_999).toWif([0xef]),
    });
    await fund(address as string, 1);
    await searched(id);
    expect(await sweep(id)).toBe('funds-insufficient');
    expect(await client.wallet.accounts.list()).toHaveLength(2);
  });
});
