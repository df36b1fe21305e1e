import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, testWithOwnHost as test } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { goTo } from '../../support/studio.ts';

type Client = ReturnType<RunningHost['client']>;

/** Pays from the wallet to itself and waits for the proof. @returns the txid */
async function pay(client: Client): Promise<string> {
  const { address } = await client.wallet.status();
  await expect
    .poll(async () => (await client.wallet.status()).balance.spendable, { timeout: 60_000 })
    .toBeGreaterThan(0);
  const { id, review } = await client.wallet.send.prepare({
    request: { to: [{ address: address as string, satoshis: 5_000 }] },
    idempotencyKey: randomUUID(),
  });
  await client.wallet.send.approve({ id, digest: review.digest });
  const sent = async () => (await client.tx.list({})).transactions.find(({ origin }) => origin === 'wallet');
  await expect.poll(async () => (await sent())?.state, { timeout: 60_000 }).toBe('proven');
  return (await sent())?.txid as string;
}

/** Parts of the page that a toast could cover. */
async function overlaps(app: Page, toast: ReturnType<Page['getByRole']>): Promise<string[]> {
  const over = await toast.boundingBox();
  const found: string[] = [];
  for (const name of ['main', 'navigation'] as const) {
    const box = await app.getByRole(name).first().boundingBox();
    if (over === null || box === null) throw new Error(`${name} or the toast has no place`);
    const apart =
      over.x >= box.x + box.width ||
      box.x >= over.x + over.width ||
      over.y >= box.y + box.height ||
      box.y >= over.y + over.height;
    if (!apart) found.push(name);
  }
  return found;
}

test('a reorganisation is reported in one sentence with its effect, in a message with a link', {
  tag: '@long',
}, async ({ app, host }) => {
  const client = host.client();
  const txid = await pay(client);
  await goTo(app, '/projects');
  await expect
    .poll(async () => (await client.headers.status()).tip?.hash === (await client.sandbox.status()).tip.hash)
    .toBe(true);
  await client.sandbox.reorg({ depth: 2 });
  const toasts = app.getByRole('region', { name: 'Notifications' });
  await expect(toasts).toContainText(
    /2 blocks were replaced: 1 payment (is waiting again|was mined again in block \d+)\./,
  );
  expect(await overlaps(app, toasts)).toEqual([]);
  await expectAccessible(app);
  await toasts.getByRole('button', { name: 'Open' }).click();
  await expect(app.getByRole('main').getByText(txid).first()).toBeVisible();
  await expect(toasts.getByRole('listitem')).toHaveCount(0);
});

test('a reorganisation without effect on the wallet says so, and its message closes on its own', {
  tag: '@long',
}, async ({ app, host }) => {
  const client = host.client();
  await goTo(app, '/tokens');
  await client.sandbox.mine({ blocks: 4 });
  await expect
    .poll(async () => (await client.headers.status()).tip?.hash === (await client.sandbox.status()).tip.hash)
    .toBe(true);
  await client.sandbox.reorg({ depth: 1 });
  const toasts = app.getByRole('region', { name: 'Notifications' });
  await expect(toasts).toContainText('1 block was replaced: nothing of yours was in them.');
  await expect(toasts.getByRole('listitem')).toHaveCount(0);
});
