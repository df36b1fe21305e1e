import { expect, test } from '../../support/fixtures.ts';
import { runCommand } from '../../support/studio.ts';

test('a link signs in once, and without a session the page says how to sign in', async ({ app, host, browser }) => {
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

test('a reload keeps the session, and a tab catches up after its host was unreachable', async ({ app, host }) => {
  await app.reload();
  await expect(app.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await app.context().setOffline(true);
  await fetch(`${host.ready.sandbox}/admin/mine`, {
    method: 'POST',
    headers: { authorization: `Bearer ${host.ready.sandboxApiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ blocks: 3 }),
  });
  await app.context().setOffline(false);
  const shown = app.getByRole('region', { name: 'Network and status' }).getByText(/^Block \d/);
  // Earlier tests may have left transactions that are mined only now.
  const behind = async (): Promise<number> =>
    (await host.client().sandbox.status()).tip.height - Number((await shown.innerText()).replace(/\D/g, ''));
  await expect.poll(behind).toBe(0);
});

test('the palette opens by keyboard and opens other pages', { tag: '@long' }, async ({ app }) => {
  await expect(app.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await runCommand(app, 'projects');
  await expect(app.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
});
