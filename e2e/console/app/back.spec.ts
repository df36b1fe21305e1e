import type { Page } from '@playwright/test';
import { expect, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

const scrolled = (app: Page, list: string) =>
  app.getByRole('grid', { name: list }).evaluate((element) => Math.round(element.scrollTop));

test('a list keeps its filter after a page is opened, after going back and after a reload', async ({ app, host }) => {
  const client = await host.client();
  for (const name of ['Seas of Titan', 'Rivers', 'Seas of Earth'])
    await client.projects.create({ name, type: 'single' });
  await goTo(app, '/projects');
  await app.locator('label').filter({ hasText: 'Table' }).click();
  const filter = app.getByRole('textbox', { name: 'Filter by name' });
  await filter.fill('seas');
  await app.getByRole('button', { name: 'Name', exact: true }).click();
  const rows = app.getByRole('grid', { name: 'Projects' }).getByRole('link', { name: /Seas|Rivers/ });
  await expect(rows).toHaveText(['Seas of Earth', 'Seas of Titan']);
  await app.getByRole('link', { name: 'Seas of Earth' }).click();
  await expect(app.getByRole('heading', { name: 'Seas of Earth', level: 1 })).toBeVisible();
  await app.goBack();
  await expect(filter).toHaveValue('seas');
  await expect(rows).toHaveText(['Seas of Earth', 'Seas of Titan']);
  await app.goForward();
  await expect(app.getByRole('heading', { name: 'Seas of Earth', level: 1 })).toBeVisible();
  await app.getByRole('navigation', { name: 'You are here' }).getByRole('link', { name: 'Projects' }).click();
  await expect(filter).toHaveValue('seas');
  await app.reload();
  await expect(filter).toHaveValue('seas');
  await expect(rows).toHaveText(['Seas of Earth', 'Seas of Titan']);
});

test('a list keeps its scroll position after going back and after a reload', { tag: '@long' }, async ({
  app,
  host,
}) => {
  await (await host.client()).sandbox.mine({ blocks: 300 });
  await goTo(app, '/explorer');
  const blocks = app.getByRole('grid', { name: 'Blocks' });
  await expect(blocks.getByRole('link').first()).toBeVisible();
  await blocks.evaluate((element) => element.scrollTo(0, 4_000));
  await expect.poll(() => scrolled(app, 'Blocks')).toBe(4_000);
  await blocks.getByRole('link').nth(4).click();
  await expect(app.getByRole('heading', { name: /^Block \d/, level: 1 })).toBeVisible();
  await app.goBack();
  await expect.poll(() => scrolled(app, 'Blocks')).toBe(4_000);
  await app.reload();
  await expect(blocks).toBeVisible();
  await expect.poll(() => scrolled(app, 'Blocks')).toBe(4_000);
  await blocks.getByRole('link').nth(4).click();
  await app.getByRole('navigation', { name: 'You are here' }).getByRole('link', { name: 'Explorer' }).click();
  await expect.poll(() => scrolled(app, 'Blocks')).toBe(4_000);
});

test('a page restores its scroll position when going back, and starts at its top otherwise', { tag: '@long' }, async ({
  app,
}) => {
  const main = app.getByRole('main');
  const top = () => main.evaluate((element) => Math.round(element.scrollTop));
  await goTo(app, '/settings');
  await expect.poll(() => main.evaluate((element) => element.scrollHeight)).toBeGreaterThan(2_000);
  await main.evaluate((element) => element.scrollTo(0, 900));
  await expect.poll(top).toBe(900);
  await app.getByRole('link', { name: 'Miners', exact: true }).click();
  await expect(app.getByRole('heading', { name: 'Miners', level: 1 })).toBeVisible();
  expect(await top()).toBe(0);
  await app.goBack();
  await expect.poll(top).toBe(900);
  await app.getByRole('link', { name: 'Miners', exact: true }).click();
  await app.getByRole('link', { name: 'Settings', exact: true }).click();
  await expect(app.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  await expect.poll(() => main.evaluate((element) => element.scrollHeight)).toBeGreaterThan(2_000);
  expect(await top()).toBe(0);
});

test('going back closes a dialog of the view that is left', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/tokens');
  await goTo(app, '/projects');
  await app
    .getByRole('button', { name: /^(New project|Create your first project)$/ })
    .first()
    .click();
  const dialog = app.getByRole('dialog', { name: 'New project' });
  await expect(dialog).toBeVisible();
  await app.goBack();
  await expect(app.getByRole('heading', { name: 'Tokens', level: 1 })).toBeVisible();
  await expect(dialog).toHaveCount(0);
});
