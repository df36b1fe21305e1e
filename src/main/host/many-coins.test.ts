import { randomUUID } from 'node:crypto';
import { PrivateKey } from '@bsv/sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import { decodeAddress, p2pkhScript } from '../../chain/index.ts';
import type { WalletSend } from '../../contract/index.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { FIRST_MONEY, type TestClient, until, walletFilled } from '../test-support/hosts/open-host.ts';
import { OwnCoins } from '../test-support/hosts/own-coins.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
const DUST = 510;

const hosts = oneHost();
let client: TestClient;
beforeEach(async () => {
  ({ client } = await hosts.open({ scope: 'core', overrides: { gatewayBroadcast: 'on' } }));
  await walletFilled(client);
});

/** Pays an address of the active account so many coins, and waits until they are confirmed. */
async function scatter(address: string, count: number, value: number): Promise<void> {
  const script = p2pkhScript(decodeAddress(address).pubKeyHash);
  await new OwnCoins().pay(
    client,
    Array.from({ length: count }, () => script),
    value,
  );
  await until(async () => {
    const coins = await client.wallet.coins.list();
    return coins.filter(({ satoshis, height }) => satoshis === value && height !== null).length === count;
  });
}

const mainAddress = async (): Promise<string> => (await client.wallet.status()).address as string;
const sendAll = (idempotencyKey: string): Promise<WalletSend> =>
  client.wallet.send.prepare({ request: { to: [{ address: FOREIGN, satoshis: 'all' }] }, idempotencyKey });
const consolidate = (idempotencyKey: string): Promise<WalletSend> => client.wallet.consolidate({ idempotencyKey });

async function approved({ id, review }: WalletSend): Promise<WalletSend> {
  expect(review.checks.filter(({ passed }) => !passed)).toEqual([]);
  await client.wallet.send.approve({ id, digest: review.digest });
  return until(async () => {
    const now = await client.wallet.send.get({ id });
    if (now.failure !== null) throw new Error(now.failure.message);
    return now.state === 'mined' ? now : undefined;
  });
}

describe('coins that cost more to spend than they are worth', () => {
  it('stay, are named, and do not stop a payment of everything else', async () => {
    const before = (await client.wallet.coins.list()).length;
    await scatter(await mainAddress(), DUST, 2);
    for (const prepare of [sendAll, consolidate]) {
      const { id, review } = await prepare(randomUUID());
      expect(review.inputs).toHaveLength(before);
      expect(review.fee).toBeLessThan(100 * (before + 1));
      const told = review.checks.find((check) => check.id === 'dust');
      expect(told?.text).toBe(
        `${DUST} coins, ${2 * DUST} satoshis together, stay: each costs more to spend than it is worth.`,
      );
      await client.wallet.send.cancel({ id });
    }
    await approved(await sendAll(randomUUID()));
    await until(async () => (await client.wallet.balance()).total === 2 * DUST);
  });

  it('do not stop a sweep, which lists them', { tags: 'long' }, async () => {
    const secret = new PrivateKey(2_222_222);
    const key = await client.wallet.accounts.importKey({ name: 'Paper', wif: secret.toWif([0xef]) });
    await scatter(key.address as string, DUST, 2);
    await scatter(key.address as string, 1, 40_000);
    await until(async () => (await client.wallet.accounts.list()).find(({ id }) => id === key.id)?.searching === false);
    const { send, left } = await client.wallet.sweep({ account: key.id, idempotencyKey: randomUUID() });
    expect(left.map(({ reason }) => reason)).toEqual(Array.from({ length: DUST }, () => 'dust'));
    expect(send.review.outputs.map(({ satoshis }) => satoshis)).toEqual([40_000 - send.review.fee]);
    expect(send.review.checks.map(({ id }) => id)).toContain('dust');
    await approved(send);
  });
});

describe('more coins than a transaction takes', () => {
  it('are sent in several transactions, which are reviewed and approved as one', async () => {
    const before = (await client.wallet.coins.list()).length;
    await scatter(await mainAddress(), 1_100, 200);
    const key = randomUUID();
    const send = await sendAll(key);
    expect(await sendAll(key)).toEqual(send);
    expect(send.transactions).toHaveLength(3);
    expect(send.review.inputs).toHaveLength(before + 1_100);
    expect(new Set(send.review.inputs.map(({ txid, vout }) => `${txid}_${vout}`)).size).toBe(before + 1_100);
    const total = FIRST_MONEY + 1_100 * 200;
    expect(send.review.outputs.reduce((sum, { satoshis }) => sum + satoshis, 0)).toBe(total - send.review.fee);
    expect(send.review.checks.find(({ id }) => id === 'transactions')?.text).toContain('3 transactions');
    expect((await client.wallet.send.list()).map(({ id }) => id)).toEqual([send.id]);
    const wrong = { id: send.id, digest: '00'.repeat(32) };
    await expect(client.wallet.send.approve(wrong)).rejects.toThrow('another transaction was approved');
    await client.wallet.send.cancel({ id: send.id });
    expect((await client.wallet.balance()).locked).toBe(0);
    const moved = await consolidate(randomUUID());
    expect(moved.transactions).toHaveLength(3);
    const done = await approved(moved);
    expect(done.transactions?.every(({ state }) => state === 'mined')).toBe(true);
    await until(async () => (await client.wallet.coins.list()).length === 3);
    expect((await client.wallet.balance()).total).toBe(total - done.review.fee);
  });
});
