import { readFileSync } from 'node:fs';
import { OwnCoins } from '../../../src/main/test-support/hosts/own-coins.ts';
import { expect, expectAccessible, testWithOwnHost as test } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { goTo } from '../../support/studio.ts';

const own = new OwnCoins();

/** A script written for a node, with the cookie of the data folder. */
async function send(
  host: RunningHost,
  hex: string,
  signal?: AbortSignal,
): Promise<{ result: unknown; error: unknown }> {
  const answer = await fetch(host.ready.rpc, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(readFileSync(host.ready.rpcCookieFile, 'utf8'))}` },
    body: JSON.stringify({ method: 'sendrawtransaction', params: [hex] }),
    ...(signal && { signal }),
  });
  return (await answer.json()) as { result: unknown; error: unknown };
}

async function signed(host: RunningHost): Promise<{ hex: string; txid: string }> {
  return own.spend([await own.funded(host.client(), 10_000)], [9_900]);
}

test('a script asks, the person sees what is in it and approves, and it is mined', async ({ app, host }) => {
  const client = host.client();
  await client.settings.set({ key: 'gatewayBroadcast', value: 'ask' });
  const { hex, txid } = await signed(host);
  const sent = send(host, hex);
  await app.getByRole('button', { name: '1 request waits for your approval' }).click();
  const sheet = app.getByRole('dialog', { name: 'Approvals' });
  await expect(
    sheet.getByRole('heading', { name: 'A program with the cookie file asks to send a transaction' }),
  ).toBeVisible();
  await expect(sheet).toContainText('10,000');
  await expect(sheet.getByRole('region', { name: /output/ })).toContainText('9,900');
  await expectAccessible(app);
  await sheet.getByRole('button', { name: 'Approve', exact: true }).click();
  expect(await sent).toMatchObject({ result: txid, error: null });
  await expect(sheet.getByText('Nothing waits for you')).toBeVisible();
  await client.sandbox.mine({ blocks: 1 });
  await expect.poll(async () => (await client.tx.get({ txid })).block?.height ?? 0).toBeGreaterThan(0);
});

test('a permission is remembered, used and revoked by keyboard alone', async ({ app, host }) => {
  await host.client().settings.set({ key: 'gatewayBroadcast', value: 'ask' });
  const first = await signed(host);
  const sent = send(host, first.hex);
  const badge = app.getByRole('button', { name: '1 request waits for your approval' });
  await badge.focus();
  await app.keyboard.press('Enter');
  const sheet = app.getByRole('dialog', { name: 'Approvals' });
  await expect(sheet.getByRole('button', { name: 'Deny' })).toBeVisible();
  await sheet.getByRole('button', { name: 'Remember…' }).focus();
  await app.keyboard.press('Enter');
  await sheet.getByRole('textbox', { name: 'Each day, up to' }).focus();
  await app.keyboard.press('ControlOrMeta+A');
  await app.keyboard.type('20000');
  await app.keyboard.press('Enter');
  expect((await sent).result).toBe(first.txid);
  const second = await signed(host);
  expect((await send(host, second.hex)).result).toBe(second.txid);
  await app.keyboard.press('Escape');
  await expect(sheet).toBeHidden();

  await goTo(app, '/approvals');
  const permissions = app.getByRole('region', { name: 'Remembered permissions' });
  await expect(permissions).toContainText('20,000 sat of 20,000 sat used today');
  await permissions.getByRole('button', { name: 'Revoke the permission of A program with the cookie file' }).focus();
  await app.keyboard.press('Enter');
  await expect(permissions).toContainText('Every request is asked about');
});

test('a request that is denied, or abandoned by its script, is not sent', async ({ app, host }) => {
  const client = host.client();
  await client.settings.set({ key: 'gatewayBroadcast', value: 'ask' });
  const left = new AbortController();
  const given = send(host, (await signed(host)).hex, left.signal).catch(() => 'gone');
  const badge = app.getByRole('button', { name: /waits for your approval/ });
  await expect(badge).toBeVisible();
  left.abort();
  await given;
  await expect(badge).toBeHidden();

  const { hex, txid } = await signed(host);
  const sent = send(host, hex);
  await app.getByRole('button', { name: 'Review' }).click();
  await app.getByRole('dialog', { name: 'Approvals' }).getByRole('button', { name: 'Deny' }).click();
  expect(await sent).toMatchObject({ error: { code: -1, message: 'The person at this machine denied it.' } });
  await expect(client.tx.get({ txid })).rejects.toThrow();
  expect((await client.approvals.list()).records.slice(0, 2).map(({ reason }) => reason)).toEqual(['person', 'left']);
});
