import { randomUUID } from 'node:crypto';
import { PrivateKey, ProtoWallet } from '@bsv/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatOutpoint } from '../../chain/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { ExternalWalletServer } from '../test-support/external-wallet.ts';
import { callCommand } from '../test-support/hosts/call-command.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { freePorts, newDataDir, type TestClient, until, walletFilled } from '../test-support/hosts/open-host.ts';
import { OwnCoins } from '../test-support/hosts/own-coins.ts';
import { PayingApp } from '../test-support/paying-app.ts';
import { INSCRIBED } from '../wallet/test-support/inscribed.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';

let server: ExternalWalletServer;
const privateKey = new PrivateKey(424_242);
const identityKey = privateKey.toPublicKey().toString();
const own = new ProtoWallet(privateKey);
const otherKey = new PrivateKey(777);
const otherIdentity = otherKey.toPublicKey().toString();
const hosts = oneHost();
let client: TestClient;
let dataDir: string;
let url: string;
let asked: string[];
beforeEach(async () => {
  server = await ExternalWalletServer.open(privateKey);
  ({ url, asked } = server);
  ({ client, dataDir } = await openHost());
  await walletFilled(client);
});
afterEach(() => server.close());

/** On a new folder, since the coins of a filled one are those of another key. */
const openHost = (dataDir = newDataDir()) =>
  hosts.open({ dataDir, scope: 'core', overrides: { walletSigner: 'external', walletUrl: url } });

const notices = async () => (await client.app.snapshot()).notices.filter(({ id }) => id === 'wallet-external-changed');

async function fund(address: string, satoshis: number): Promise<void> {
  const { total } = await client.wallet.balance();
  await client.sandbox.fund({ address, satoshis });
  await until(async () => {
    const now = await client.wallet.balance();
    return now.total === total + satoshis && now.unconfirmed === 0;
  });
}

describe('a wallet outside this process', () => {
  it('gives the addresses and signs what is sent from them', async () => {
    const [main] = await client.wallet.accounts.list();
    expect(main).toMatchObject({ kind: 'external', state: 'ready', canSend: true });
    await fund(main?.address as string, 50_000);
    const further = await client.wallet.addresses.next({});
    await fund(further.address, 20_000);
    const coins = (await client.wallet.coins.list()).filter(({ satoshis }) => [50_000, 20_000].includes(satoshis));
    const request = {
      to: [{ address: FOREIGN, satoshis: 'all' as const }],
      coins: coins.map(({ outpoint }) => outpoint),
    };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    expect(review.inputs).toHaveLength(2);
    asked.length = 0;
    await client.wallet.send.approve({ id, digest: review.digest });
    expect(asked).toEqual(['getPublicKey', 'createSignature', 'createSignature', 'createSignature']);
    await until(async () => (await client.wallet.send.get({ id })).state === 'mined');
  });

  it('signs for inscriptions of other software in every layout', { tags: 'long' }, async () => {
    await client.settings.set({ key: 'gatewayBroadcast', value: 'on' });
    const { address, publicKey } = await client.wallet.status();
    await fund(address as string, 90_000);
    const outputs = await new OwnCoins().pay(
      client,
      Object.values(INSCRIBED).map((write) => write(publicKey as string)),
    );
    await until(async () => {
      const coins = await client.wallet.coins.list();
      return coins.filter(({ kind, height }) => kind === 'token' && height !== null).length === outputs.length;
    });
    const request = {
      tokens: outputs.map(formatOutpoint),
      to: outputs.map(() => ({ address: FOREIGN, satoshis: 1 })),
    };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    await client.wallet.send.approve({ id, digest: review.digest });
    await until(async () => (await client.wallet.send.get({ id })).state === 'mined');
    await until(async () => (await client.wallet.balance()).tokens === 0);
  });

  it('says what it cannot do, and passes on why it refuses', { tags: 'long' }, async () => {
    for (const work of [
      () => client.wallet.seed.reveal({ passphrase: '' }),
      () => client.wallet.backup.create({ passphrase: 'long enough' }),
      () => client.wallet.create({ words: 12 }),
      () => client.wallet.accounts.create({ name: 'Shop' }),
    ]) {
      const failure = failureOf(await work().catch((error: unknown) => error));
      expect(failure).toMatchObject({ code: 'conflict', message: expect.stringContaining('another wallet') });
    }
    const { address } = await client.wallet.status();
    await fund(address as string, 50_000);
    const request = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    server.refusal = 'the owner said no';
    const refused = failureOf(
      await client.wallet.send.approve({ id, digest: review.digest }).catch((error: unknown) => error),
    );
    expect(refused).toMatchObject({ code: 'upstream-error', message: expect.stringContaining('the owner said no') });
    expect((await client.wallet.send.get({ id })).state).toBe('reviewed');
    server.refusal = undefined;
    expect((await client.wallet.send.approve({ id, digest: review.digest })).txid).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is remembered by its identity key: another one gives no address until a person accepts it', async () => {
    const { address } = await client.wallet.status();
    expect(await client.wallet.external.get()).toMatchObject({ url, identityKey, refused: null });
    await hosts.close();
    server.answering = new ProtoWallet(otherKey);
    asked.length = 0;
    ({ client } = await openHost(dataDir));
    expect(asked).toEqual(['getPublicKey', 'createSignature']);
    expect(await client.wallet.status()).toMatchObject({ state: 'locked', address: null, publicKey: null });
    const failure = failureOf(await client.wallet.unlock({ passphrase: '' }).catch((error: unknown) => error));
    const refused = { id: 'wallet.external-changed', detail: { knownKey: identityKey, offeredKey: otherIdentity } };
    expect(failure).toMatchObject(refused);
    expect(failure.hint).toContain(`planchet wallet accept ${otherIdentity}`);
    expect(await client.wallet.external.get()).toMatchObject({ identityKey, refused });
    const next = failureOf(await client.wallet.addresses.next({}).catch((error: unknown) => error));
    expect(next).toMatchObject({ id: 'wallet.external-changed' });
    const found = (await client.doctor.run()).find(({ check }) => check === 'wallet keys');
    expect(found).toMatchObject({ ok: false, failure: refused });
    expect(await notices()).toMatchObject([{ level: 'error', failure: refused }]);

    await hosts.close();
    const command = (...args: string[]) =>
      callCommand([
        ...args,
        ...['--data-dir', dataDir, '--set', 'walletSigner=external', '--set', `walletUrl=${url}`],
        ...Object.entries(freePorts).flatMap(([key, value]) => ['--set', `${key}=${value}`]),
      ]);
    expect(await command('wallet', 'address')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining(`planchet wallet accept ${otherIdentity}`),
    });
    expect((await command('wallet', 'external')).out).toMatch(
      new RegExp(`${identityKey}, known since .*\\n.*${otherIdentity}`),
    );
    expect((await command('wallet', 'accept', 'abc')).code).not.toBe(0);
    ({ client } = await openHost(dataDir));
    const accepted = await client.wallet.external.accept({ identityKey: otherIdentity });
    expect(accepted.state).toBe('ready');
    expect(accepted.address).not.toBe(address);
    expect(await client.wallet.external.get()).toMatchObject({ identityKey: otherIdentity, refused: null });
    expect(await notices()).toEqual([]);
    // and back, which is another wallet again
    server.answering = own;
    await hosts.close();
    ({ client } = await openHost(dataDir));
    expect((await client.wallet.status()).state).toBe('locked');
    expect((await client.wallet.external.accept({ identityKey })).address).toBe(address);
    // while it is open
    server.answering = new ProtoWallet(otherKey);
    expect((await client.wallet.external.accept({ identityKey: otherIdentity })).address).toBe(accepted.address);
  });

  it('is asked for no payment where another one answers', async () => {
    const address = (await client.wallet.status()).address as string;
    const paying = new PayingApp(privateKey, client);
    server.paying = paying;
    server.answering = new ProtoWallet(otherKey);
    const refused = await client.wallet.payFromApp({ address, satoshis: 1_000 }).catch((error: unknown) => error);
    expect(failureOf(refused)).toMatchObject({ id: 'wallet.external-changed' });
    expect(paying.asked).toEqual([]);
    server.answering = own;
    const poor = await client.wallet.payFromApp({ address, satoshis: 1_000 }).catch((error: unknown) => error);
    expect(failureOf(poor)).toMatchObject({ id: 'wallet.app-poor' });
  });

  it('is asked for no signature where another one answers, and gives one again once it is back', {
    tags: 'long',
  }, async () => {
    const { address } = await client.wallet.status();
    await fund(address as string, 50_000);
    const request = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    const approve = () => client.wallet.send.approve({ id, digest: review.digest });
    const refused = async () => failureOf(await approve().catch((error: unknown) => error));
    server.answering = new ProtoWallet(otherKey);
    asked.length = 0;
    expect(await refused()).toMatchObject({ id: 'wallet.external-changed' });
    const [told] = await notices();
    await client.app.dismissNotice({ id: told?.id ?? '' });
    // it is not told again with each attempt
    await refused();
    expect(await notices()).toEqual([]);
    asked.length = 0;
    expect(await refused()).toMatchObject({ id: 'wallet.external-changed' });
    expect(asked).toEqual(['getPublicKey', 'createSignature']);
    // names the known key, which anybody may know, and cannot sign with it
    const other = new ProtoWallet(otherKey);
    server.answering = {
      getPublicKey: async () => ({ publicKey: identityKey }),
      createSignature: (args) => other.createSignature(args),
    };
    expect(await refused()).toMatchObject({ id: 'wallet.external-unproven' });
    // passes the challenge on, and signs the transaction itself
    server.answering = {
      getPublicKey: (args) => own.getPublicKey(args),
      createSignature: (args) => (args.hashToDirectlySign ? other : own).createSignature(args),
    };
    expect(await refused()).toMatchObject({ id: 'wallet.external-refused' });
    expect(await client.wallet.send.get({ id })).toMatchObject({ state: 'reviewed' });
    expect((await client.wallet.status()).address).toBe(address);
    server.answering = own;
    expect((await approve()).txid).toMatch(/^[0-9a-f]{64}$/);
  });

  it('that does not answer leaves the account locked until it does', { tags: 'long' }, async () => {
    await hosts.close();
    server.refusal = 'locked';
    ({ client } = await openHost());
    expect(await client.wallet.accounts.list()).toMatchObject([{ state: 'locked', address: null }]);
    const failure = failureOf(await client.wallet.unlock({ passphrase: '' }).catch((error: unknown) => error));
    expect(failure).toMatchObject({ code: 'upstream-error' });
    server.refusal = undefined;
    expect((await client.wallet.unlock({ passphrase: '' })).state).toBe('ready');
  });
});
