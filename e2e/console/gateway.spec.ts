import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, expectAccessible, test } from '../support/fixtures.ts';
import { goTo } from '../support/studio.ts';

test('the password is masked until asked for, and logs a program in', async ({ app, host }) => {
  await goTo(app, '/gateway');
  const password = app.getByTestId('password');
  await expect(password).toHaveText(/^•+$/);
  await app.getByRole('button', { name: 'Show' }).click();
  await expect(password).not.toHaveText(/•/);
  const login = Buffer.from(`${host.ready.rpcUsername}:${await password.innerText()}`).toString('base64');
  const answer = await fetch(host.ready.rpc, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Basic ${login}` },
    body: JSON.stringify({ method: 'getblockcount', params: [] }),
  });
  expect(answer.status).toBe(200);
  await app.getByRole('button', { name: 'Test the connection' }).click();
  await expect(app.getByText('This gateway')).toBeVisible();
});

test('a command runs, and stands in the traffic', async ({ app }) => {
  await goTo(app, '/gateway/console');
  await app.getByRole('combobox', { name: 'Command' }).fill('getblockhash');
  await app.getByRole('textbox', { name: 'Parameters' }).fill('0');
  await app.getByRole('button', { name: 'Run', exact: true }).first().click();
  await expect(app.getByRole('region', { name: 'Answer' })).toContainText(/[0-9a-f]{64}/);
  await app.getByRole('textbox', { name: 'Parameters' }).fill('99999999');
  await app.getByRole('button', { name: 'Run', exact: true }).first().click();
  await expect(app.getByRole('alert')).toContainText('Block height out of range');
  await app.getByRole('tab', { name: 'Traffic' }).click();
  await expect(app.getByRole('table', { name: 'Live calls' })).toContainText('getblockhash');
});

test('a key is made and withdrawn', async ({ app, host }) => {
  await goTo(app, '/gateway/keys');
  await app.getByRole('textbox', { name: 'Name' }).fill('indexer');
  await app.getByRole('button', { name: 'Create a key' }).click();
  const login = await app.getByRole('status').locator('.mono').first().innerText();
  const call = async (): Promise<number> =>
    (
      await fetch(host.ready.rpc, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Basic ${Buffer.from(login).toString('base64')}`,
        },
        body: JSON.stringify({ method: 'getblockcount', params: [] }),
      })
    ).status;
  expect(await call()).toBe(200);
  await app.getByRole('button', { name: 'Revoke indexer' }).click();
  await app.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(app.getByText('Revoked')).toBeVisible();
  expect(await call()).toBe(401);
});

test('a web page is let in once the person has allowed its origin', async ({ app, host, context }) => {
  const site = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>a wallet</title>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const page = await context.newPage();
  await page.goto(origin);
  /** The height as the page's script reads it, or what hinders it. */
  const height = (login: string): Promise<number | string> =>
    page.evaluate(
      async ({ rpc, login }) => {
        const headers = { 'content-type': 'application/json', authorization: `Basic ${btoa(login)}` };
        const body = '{"method":"getblockcount"}';
        try {
          return ((await (await fetch(rpc, { method: 'POST', headers, body })).json()) as { result: number }).result;
        } catch (error) {
          return String(error);
        }
      },
      { rpc: host.ready.rpc, login },
    );
  const pair = (): Promise<{ username: string; password: string } | string> =>
    page.evaluate(
      (rpc) =>
        fetch(`${rpc}/pair`, { method: 'POST', body: '{"code":"4711"}' })
          .then((answer) => answer.json() as Promise<{ username: string; password: string }>)
          .catch(String),
      host.ready.rpc,
    );
  expect(await height('planchet:guess')).toContain('TypeError');
  await goTo(app, '/gateway');
  const allowed = pair();
  const prompt = app.getByRole('dialog', { name: 'A web page asks to use this gateway' });
  await expect(prompt.getByTestId('pairing-origin')).toHaveText(origin);
  await expect(prompt).toContainText('4711');
  await expectAccessible(app);
  await prompt.getByRole('button', { name: 'Allow this page' }).click();
  await expect(prompt).toBeHidden();
  const key = (await allowed) as { username: string; password: string };
  expect(await height(`${key.username}:${key.password}`)).toEqual(expect.any(Number));
  const refused = pair();
  await prompt.getByRole('button', { name: 'Refuse' }).last().click();
  expect(await refused).toContain('TypeError');
  await page.close();
  site.close();
});

test('every part of the gateway is accessible in both schemes', async ({ app }) => {
  for (const part of ['connect', 'traffic', 'console', 'keys', 'zmq']) {
    await goTo(app, `/gateway/${part}`);
    for (const scheme of ['light', 'dark'] as const) {
      await app.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await expectAccessible(app);
    }
  }
});
