import { decodeAddress, p2pkhScript } from '../../../src/chain/index.ts';
import { OwnCoins } from '../../../src/main/test-support/hosts/own-coins.ts';
import { checkView } from '../../support/check-view.ts';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

test('a payment of several transactions is paused between two of them, continued, and cancelled', {
  tag: '@long',
}, async ({ app, host }) => {
  const client = host.client();
  await client.settings.set({ key: 'gatewayBroadcast', value: 'on' });
  const { address } = await client.wallet.status();
  const script = p2pkhScript(decodeAddress(address as string).pubKeyHash);
  const scatter = async (count: number): Promise<void> => {
    await new OwnCoins().pay(
      client,
      Array.from({ length: count }, () => script),
      5_000,
    );
    await expect
      .poll(async () => (await client.wallet.coins.list()).filter(({ state }) => state === 'spendable').length, {
        timeout: 30_000,
      })
      .toBeGreaterThanOrEqual(count);
  };
  const combine = async (): Promise<string> => {
    const { id } = await client.wallet.consolidate({ idempotencyKey: crypto.randomUUID() });
    await goTo(app, `/wallet/payments/${id}`);
    await app.getByRole('button', { name: /^Approve and move/ }).click();
    return id;
  };
  const statesOf = async (id: string) =>
    (await client.wallet.send.get({ id })).transactions?.map(({ state }) => state === 'reviewed') ?? [];

  await scatter(1_100);
  await client.sandbox.faults.set({ name: 'latency', value: 3_000, area: 'mapi' });
  const id = await combine();
  await expect(app.getByText('Sending', { exact: true })).toBeVisible();
  await app.getByRole('button', { name: 'Pause' }).click();
  await expect(app.getByText('Paused', { exact: true })).toBeVisible({ timeout: 20_000 });
  await client.sandbox.faults.clear({});
  expect(await statesOf(id)).toEqual([true, false, true]);
  await checkView(app, 'wallet-payment-paused');
  await app.reload();
  await app.getByRole('button', { name: 'Resume' }).click();
  await expect(app.getByText(/^Sent, and in block/)).toBeVisible({ timeout: 30_000 });
  expect(await statesOf(id)).toEqual([false, false, false]);

  await scatter(1_100);
  await client.sandbox.faults.set({ name: 'latency', value: 3_000, area: 'mapi' });
  const other = await combine();
  await app.getByRole('button', { name: 'Pause' }).click();
  await app.getByRole('button', { name: 'Cancel the rest' }).click({ timeout: 20_000 });
  await client.sandbox.faults.clear({});
  await app.getByRole('dialog').getByRole('button', { name: 'Cancel the rest' }).click();
  await expect(app.getByText(/^2 of 3 transactions are cancelled/)).toBeVisible();
  await expect(app.getByText(/^Sent, and in block/)).toBeVisible({ timeout: 30_000 });
  await checkView(app, 'wallet-payment-cancelled-rest');
  expect((await client.wallet.send.get({ id: other })).state).toBe('mined');
  expect((await client.wallet.balance()).locked).toBe(0);
});
