import { PrivateKey, Transaction } from '@bsv/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExternalWalletServer } from '../test-support/external-wallet.ts';
import { openJoinedHost } from '../test-support/hosts/joined-host.ts';
import {
  closeTestHost,
  filledDataDir,
  openTestHost,
  type TestClient,
  type TestHost,
  until,
} from '../test-support/hosts/open-host.ts';
import { PayingApp } from '../test-support/paying-app.ts';

const key = new PrivateKey(31_337);

let other: TestHost;
let here: TestHost;
let server: ExternalWalletServer;
let app: PayingApp;
let client: TestClient;
let address: string;

beforeAll(async () => {
  other = await openTestHost({
    dataDir: await filledDataDir(),
    overrides: { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' },
  });
  await other.client.settings.set({ key: 'gatewayBroadcast', value: 'on' });
  server = await ExternalWalletServer.open(key);
  const { url } = server;
  here = await openJoinedHost(other, { dataDir: await filledDataDir(), overrides: { walletUrl: url } });
  ({ client } = here);
  await client.wallet.create({ words: 12 });
  await until(async () => (await client.headers.status()).isAgreed);
  address = (await client.wallet.status()).address as string;
});
afterAll(async () => {
  await closeTestHost(here);
  await closeTestHost(other);
  await server.close();
});
beforeEach(async () => {
  app = new PayingApp(key, other.client);
  await app.fund(500_000);
  await followed();
  server.paying = app;
});
afterEach(async () => {
  await other.client.sandbox.mine({ blocks: 1 });
  await followed();
});

const mempool = async () => (await other.client.sandbox.status()).mempool.transactions;
const total = async () => (await client.wallet.balance()).total;
const refused = async (satoshis = 1_000) =>
  client.wallet.payFromApp({ address, satoshis }).then(
    () => Promise.reject(new Error('nothing was refused')),
    (error: { data: { id: string; message: string; values?: object } }) => error.data,
  );

/** Waits until the headers here have the newest block. */
async function followed(): Promise<void> {
  const { height } = (await other.client.sandbox.status()).tip;
  await until(async () => (await client.explorer.height({})) === height);
}

describe('a payment from a wallet app', () => {
  it('is taken by its proof, before any service is asked for the address', async () => {
    const before = await total();
    const paid = await client.wallet.payFromApp({ address, satoshis: 40_000 });
    expect(paid).toEqual({ txid: expect.stringMatching(/^[0-9a-f]{64}$/), satoshis: 40_000, sentBy: 'app' });
    expect(app.asked).toMatchObject([{ outputs: [{ satoshis: 40_000 }] }]);
    expect(await total()).toBe(before + 40_000);
    const [entry] = (await client.wallet.history.list({})).entries;
    expect(entry).toMatchObject({ txid: paid.txid, amount: 40_000, height: null, purpose: 'received' });
    const [coin] = (await client.wallet.coins.list()).filter(({ outpoint }) => outpoint.startsWith(paid.txid));
    expect(coin).toMatchObject({ satoshis: 40_000, state: 'spendable' });
  });

  it('is handed to the miners with what it builds on, where the app sends nothing', async () => {
    app.sends = false;
    const first = await client.wallet.payFromApp({ address, satoshis: 20_000 });
    expect(first.sentBy).toBe('miners');
    expect(await mempool()).toBe(1);
    // a chain of two that nobody has sent: the change of a payment that went elsewhere
    const unseen = { lockingScript: '76a914000000000000000000000000000000000000000088ac', satoshis: 5_000 };
    await app.answer('createAction', { outputs: [unseen] } as never);
    expect(await mempool()).toBe(1);
    const second = await client.wallet.payFromApp({ address, satoshis: 30_000 });
    expect(second.sentBy).toBe('miners');
    expect(await mempool()).toBe(3);
    await other.client.sandbox.mine({ blocks: 1 });
    await until(async () => {
      const { entries } = await client.wallet.history.list({});
      return [first, second].every(({ txid }) => entries.find((one) => one.txid === txid)?.height);
    });
  });

  it('is asked for once at a time', async () => {
    let agree: () => void = () => undefined;
    app.agree = () => new Promise<void>((resolve) => (agree = resolve));
    const paying = client.wallet.payFromApp({ address, satoshis: 1_000 });
    await until(async () => app.asked.length === 1);
    expect(await refused()).toMatchObject({ id: 'wallet.app-asked' });
    agree();
    expect((await paying).sentBy).toBe('app');
    expect(app.asked).toHaveLength(1);
  });

  it('that fails says why, and leaves the balance alone', async () => {
    const before = await total();
    app.refusal = [400, { isError: true, code: 1, message: 'The user denied the spending.' }];
    expect(await refused()).toMatchObject({
      id: 'wallet.app-refused',
      message: expect.stringContaining('The user denied the spending.'),
    });
    app.refusal = undefined;
    expect(await refused(10_000_000)).toMatchObject({ id: 'wallet.app-poor', values: { missing: 9_500_201 } });
    app.network = 'mainnet';
    const asked = app.asked.length;
    expect(await refused()).toMatchObject({ id: 'wallet.app-network', values: { theirs: 'mainnet' } });
    app.network = 'moon';
    expect(await refused()).toMatchObject({ id: 'wallet.app-refused' });
    expect(app.asked).toHaveLength(asked);
    expect(await total()).toBe(before);
  });

  it('that is invalid is refused, whatever is wrong with it', async () => {
    const before = await total();
    app.sends = false;
    const wrong: [string, (beef: number[], tx: Transaction) => unknown][] = [
      ['wallet.app-unreadable', () => undefined],
      ['wallet.app-unreadable', () => []],
      ['wallet.app-unreadable', () => [1, 2, 3]],
      ['wallet.app-unreadable', () => [300, -1]],
      ['wallet.app-unreadable', (beef) => beef.slice(0, -1)],
      ['wallet.app-invalid', (_, tx) => withOtherAmount(tx)],
      ['wallet.app-unproven', (_, tx) => inOtherBlock(tx)],
      ['wallet.app-unproven', (_, tx) => ofUnknownMoney(tx)],
      ['wallet.app-other-payment', (_, tx) => ancestorOf(tx)],
    ];
    for (const [id, change] of wrong) {
      app = new PayingApp(key, other.client);
      server.paying = app;
      await app.fund(100_000);
      await followed();
      app.sends = false;
      app.change = change;
      expect(await refused(1_000).catch(String), String(change)).toMatchObject({ id });
    }
    expect(await total()).toBe(before);
    expect(await mempool()).toBe(0);
  });

  it('is not made to an address of somebody else, nor by an app that is closed', async () => {
    const foreign = client.wallet.payFromApp({ address: 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV', satoshis: 1_000 });
    await expect(foreign).rejects.toMatchObject({ data: { id: 'wallet.subject-missing' } });
    expect(app.asked).toEqual([]);
    await server.close();
    expect(await refused()).toMatchObject({ id: 'wallet.app-unreachable' });
  });
});

/** Signed for another amount than it pays. */
function withOtherAmount(tx: Transaction): number[] {
  const outputs = tx.outputs.map((output) => ({ ...output, satoshis: 2_000 }));
  return new Transaction(tx.version, tx.inputs, outputs, tx.lockTime).toAtomicBEEF();
}

/** The path leads to the root of another block than it names. */
function inOtherBlock(tx: Transaction): number[] {
  const path = tx.inputs[0]?.sourceTransaction?.merklePath as { blockHeight: number };
  path.blockHeight -= 1;
  return tx.toAtomicBEEF();
}

/** BEEF (BRC-62) of a transaction that spends what nobody has. */
function ofUnknownMoney(tx: Transaction): number[] {
  const unlockingScript = tx.inputs[0]?.unlockingScript;
  const input = { sourceTXID: 'ab'.repeat(32), sourceOutputIndex: 0, sequence: 0xffffffff };
  const unknown = new Transaction(1, [{ ...input, ...(unlockingScript && { unlockingScript }) }], tx.outputs);
  return [1, 0, 0xbe, 0xef, 0, 1, ...unknown.toBinary(), 0];
}

/** The coin that it spends, as if it were the payment. */
function ancestorOf(tx: Transaction): number[] {
  const source = tx.inputs[0]?.sourceTransaction;
  return source === undefined ? [] : source.toAtomicBEEF();
}
