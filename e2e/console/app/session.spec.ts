import { readFileSync } from 'node:fs';
import { expect, test } from '../../support/fixtures.ts';
import { openPalette } from '../../support/studio.ts';

test('a link works once; without a session the page says how to get in', async ({ app, host, browser }) => {
  await expect(app).toHaveURL(/^[^#]*#\/?$/);
  const otherBrowser = await browser.newContext();
  const page = await otherBrowser.newPage();
  const link = await host.login();
  await app.goto('about:blank');
  await app.goto(link);
  await expect(app.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Open Planchet from its link' })).toBeVisible();
  await otherBrowser.close();
});

test('a reload keeps the session, and a tab that lost its host catches up', async ({ app, host }) => {
  await app.reload();
  await expect(app.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await app.context().setOffline(true);
  await fetch(`${host.ready.sandbox}/admin/mine`, {
    method: 'POST',
    headers: { authorization: `Bearer ${host.ready.sandboxApiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ blocks: 3 }),
  });
  const credentials = readFileSync(host.ready.rpcCookieFile, 'utf8');
  const answer = await fetch(host.ready.rpc, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(credentials)}` },
    body: JSON.stringify({ method: 'getblockcount' }),
  });
  const { result: height } = (await answer.json()) as { result: number };
  await app.context().setOffline(false);
  await expect(app.getByText(`Block ${height}`).first()).toBeVisible({ timeout: 20_000 });
});

test('the palette opens by keyboard and goes places', async ({ app }) => {
  await expect(app.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await openPalette(app);
  await expect(app.getByRole('combobox', { name: 'Search names, ids, settings and commands' })).toBeFocused();
  await app.keyboard.type('projects');
  await app.keyboard.press('Enter');
  await expect(app.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
});
