import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, expectAccessible, test } from '../../support/fixtures.ts';
import { postRpc, rpcAddress } from '../../support/rpc.ts';
import { goTo } from '../../support/studio.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const countCall = '{"method":"getblockcount","params":[]}';

test('the password is masked until requested, and works as the login of a program', async ({ app, host }) => {
  await goTo(app, '/gateway');
  const password = app.getByTestId('password');
  await expect(password).toHaveText(/^•+$/);
  await app.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(password).not.toHaveText(/•/);
  const answer = await postRpc(host, countCall, { login: `${host.ready.rpcUsername}:${await password.innerText()}` });
  expect(answer.status).toBe(200);
});

test('the test reports each step, for the upstream and for the gateway', async ({ app }) => {
  await goTo(app, '/gateway');
  await app.getByRole('button', { name: 'Test the connection' }).click();
  const report = app.getByRole('region', { name: 'Test' });
  for (const subject of ['Upstream', 'This gateway']) {
    const part = report.getByRole('group', { name: subject });
    for (const step of ['Connection', 'Encryption', 'Credential', 'Command', 'Chain', 'What Planchet needs']) {
      await expect(part.getByText(step, { exact: true })).toBeVisible();
    }
    await expect(part.getByText('Passed')).toHaveCount(6);
    await expect(part.getByText('The address is plain http.')).toBeVisible();
  }
});

test('traffic shows each call, charts its method, and repeats it whole as curl', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const long = 'ab'.repeat(2_000);
  const params = JSON.stringify([long]);
  await goTo(app, '/gateway/traffic');
  const calls = app.getByRole('grid', { name: 'Live calls' });
  expect((await postRpc(host, `{"method":"decodescript","params":${params}}`)).status).toBe(200);
  const row = calls.getByRole('row').filter({ hasText: 'decodescript' }).first();
  await expect(row).toBeVisible();
  await row.getByRole('button', { name: 'Copy as curl' }).click();
  // The button says "Copied" for a moment that a loaded machine may miss.
  const copied = () => app.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toContain(`"method":"decodescript","params":${params}`);
  expect(await copied()).toContain(host.ready.rpcCookieFile);
  // Other tests of this host made calls, and the charts show the most frequent methods.
  const often = Array.from({ length: 150 }, () => ({ method: 'decodescript', params: ['51'] }));
  expect((await postRpc(host, JSON.stringify(often))).status).toBe(200);
  await expect(app.getByRole('img', { name: /^Latency of decodescript/ })).toBeVisible();
  await expect(app.getByRole('grid', { name: 'Methods' })).toContainText('decodescript');
  await expect(app.getByRole('grid', { name: 'Upstream nodes' })).toContainText('Answers');
});

test('a list is walked by keyboard, its columns chosen, its rows exported', { tag: '@long' }, async ({ app, host }) => {
  await goTo(app, '/gateway/traffic');
  const calls = app.getByRole('grid', { name: 'Live calls' });
  for (let height = 0; height < 3; height++) {
    expect((await postRpc(host, `{"method":"getblockhash","params":[${height}]}`)).status).toBe(200);
  }
  await app.getByRole('textbox', { name: 'Filter calls' }).fill('getblockhash');
  await expect(calls.getByRole('row', { name: /getblockhash/ }).nth(2)).toBeVisible();
  await app.getByRole('button', { name: 'Pause' }).click();
  await calls.focus();
  await app.keyboard.press('Home');
  await app.keyboard.press('Shift+ArrowDown');
  const bar = app.getByRole('toolbar', { name: 'Selected rows' });
  await expect(bar).toContainText('2 selected');
  const downloading = app.waitForEvent('download');
  await bar.getByRole('button', { name: 'Export selected' }).click();
  await app.getByRole('menuitem', { name: 'As CSV' }).click();
  const file = await downloading;
  expect(file.suggestedFilename()).toMatch(/^planchet-calls-\d{4}-\d\d-\d\d\.csv$/);
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toBe('time,caller,method,source,milliseconds,bytes,status');
  await calls.focus();
  await app.keyboard.press('Escape');
  await expect(bar).toHaveCount(0);
  await app.getByRole('region', { name: 'Live calls' }).getByRole('button', { name: 'Columns' }).click();
  await app.getByRole('checkbox', { name: 'Parameters' }).check();
  await expect(calls.getByRole('columnheader', { name: 'Parameters' })).toBeVisible();
  await expect(calls.getByRole('row', { name: /getblockhash/ }).first()).toContainText(/\[\d\]/);
});

test('a key has permitted commands and an expiry, and can be revoked', { tag: '@long' }, async ({ app, host }) => {
  await goTo(app, '/gateway/keys');
  await app.getByRole('textbox', { name: 'Name' }).fill('indexer');
  await app.getByRole('combobox', { name: 'Commands it may call' }).fill('getblockcount');
  await app.getByRole('option', { name: 'getblockcount', exact: true }).click();
  await app.keyboard.press('Escape');
  await app.getByRole('textbox', { name: 'Calls a second' }).fill('100');
  await app.getByRole('textbox', { name: 'Largest request in KiB' }).fill('2');
  await app.getByRole('combobox', { name: 'Expires' }).click();
  await app.getByRole('option', { name: 'After a week' }).click();
  await app.getByRole('button', { name: 'Create a key' }).click();
  const login = await app.getByRole('status').locator('.mono').first().innerText();
  expect((await postRpc(host, countCall, { login })).status).toBe(200);
  expect((await postRpc(host, '{"method":"getinfo","params":[]}', { login })).status).toBe(403);
  expect((await postRpc(host, countCall.padEnd(2_049), { login })).status).toBe(413);
  const row = app.getByRole('grid', { name: 'Keys' }).getByRole('row').filter({ hasText: 'indexer' });
  await expect(row).toContainText('getblockcount');
  await expect(row).toContainText('Active');
  // In a window of any size, a key can be revoked without a search for the button.
  await app.setViewportSize({ width: 1024, height: 640 });
  await row.scrollIntoViewIfNeeded();
  await expect(row.getByRole('button', { name: 'Revoke indexer' })).toBeInViewport({ ratio: 1 });
  await row.getByRole('button', { name: 'Revoke indexer' }).click();
  await expect(row).toContainText('Revoked');
  expect((await postRpc(host, countCall, { login })).status).toBe(401);
  await app.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(row).toContainText('Active');
  expect((await postRpc(host, countCall, { login })).status).toBe(200);
});

test('a web page is allowed by its origin, and removed again', { tag: '@long' }, async ({ app, host }) => {
  await goTo(app, '/gateway/keys');
  const panel = app.getByRole('region', { name: 'Web pages that may call' });
  await panel.getByRole('textbox', { name: 'Origin' }).fill('app.example');
  await panel.getByRole('button', { name: 'Allow' }).click();
  await expect(panel.getByRole('alert')).toBeVisible();
  await panel.getByRole('textbox', { name: 'Origin' }).fill('https://app.example');
  await panel.getByRole('button', { name: 'Allow' }).click();
  await expect(panel.getByText('https://app.example', { exact: true })).toBeVisible();
  const asked = async (): Promise<number> =>
    (await postRpc(host, countCall, { headers: { origin: 'https://app.example' } })).status;
  expect(await asked()).toBe(200);
  await panel.getByRole('button', { name: 'Revoke https://app.example' }).click();
  await expect(panel.getByText('https://app.example', { exact: true })).toHaveCount(0);
  expect(await asked()).toBe(403);
  await app.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(panel.getByText('https://app.example', { exact: true })).toBeVisible();
  expect(await asked()).toBe(200);
});

test('the feed shows a block when it is published', { tag: '@long' }, async ({ app, host }) => {
  await goTo(app, '/gateway/zmq');
  const topics = app.getByRole('grid', { name: 'Feed by topic' });
  await expect(topics.getByRole('row', { name: /^rawblock\b/ })).toBeVisible();
  const client = host.client();
  const messages = app.getByRole('grid', { name: 'Live messages' });
  // The page is subscribed once it shows the topics' figures. A block mined before that is followed by another.
  await expect(async () => {
    const { hashes } = await client.sandbox.mine({ blocks: 1 });
    const row = messages.getByRole('row').filter({ hasText: hashes[0] as string });
    await expect(row.first()).toBeVisible({ timeout: 3_000 });
  }).toPass();
});

test('a web page is paired once the person has allowed its origin', async ({ app, host, context }) => {
  const site = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>a wallet</title>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const page = await context.newPage();
  await page.goto(origin);
  const rpc = await rpcAddress(host);
  /** The height that the page's script reads, or the error. */
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
      { rpc, login },
    );
  const pair = (): Promise<{ username: string; password: string } | string> =>
    page.evaluate(
      (rpc) =>
        fetch(`${rpc}/pair`, { method: 'POST', body: '{"code":"4711"}' })
          .then((answer) => answer.json() as Promise<{ username: string; password: string }>)
          .catch(String),
      rpc,
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
