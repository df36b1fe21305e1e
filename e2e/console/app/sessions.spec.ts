import { expect, test } from '../../support/fixtures.ts';
import { openHost } from '../../support/open.ts';
import { goTo } from '../../support/studio.ts';

const shut = { name: 'Open Planchet from its link' };

test('other browsers are listed and ended, and their pages close', { tag: '@long' }, async ({ app, host, browser }) => {
  await goTo(app, '/sessions');
  const rows = app.getByRole('list', { name: 'Browsers' }).getByRole('listitem');
  await expect(rows.filter({ hasText: 'This one' })).toHaveCount(1);
  // the host is shared with tests that signed in before
  if ((await rows.count()) > 1) {
    await app.getByRole('button', { name: 'End all others' }).click();
    await app.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await expect(rows).toHaveCount(1);
  }
  const other = await browser.newContext();
  const page = await other.newPage();
  await openHost(page, host);
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await app.reload();
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: 'This one' })).toHaveCount(1);
  await rows.getByRole('button', { name: /^End the session of/ }).focus();
  await app.keyboard.press('Enter');
  await expect(rows).toHaveCount(1);
  await expect(page.getByRole('heading', shut)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', shut)).toBeVisible();
  await other.close();
});

// The browser reports the event streams that end with the session as errors, so these two tests ignore them.
test('a locked page shows nothing until a new link opens it', async ({ page: app, host }) => {
  await openHost(app, host);
  await expect(app.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await goTo(app, '/sessions');
  await app.getByRole('button', { name: 'Lock this page' }).click();
  await expect(app.getByRole('heading', shut)).toBeVisible();
  await app.goBack();
  await expect(app.getByRole('heading', shut)).toBeVisible();
  await openHost(app, host);
  await expect(app.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
});

test('a page locks itself after it was not used for some time', async ({ page: app, host }) => {
  await openHost(app, host);
  await expect(app.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await host.client().settings.set({ key: 'consoleLockAfter', value: '1s' });
  await app.reload();
  await expect(app.getByRole('heading', shut)).toBeVisible();
  await host.client().settings.set({ key: 'consoleLockAfter', value: '0' });
});
