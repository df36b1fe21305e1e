import type { Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { test } from '../../support/fixtures.ts';
import { createProject, goTo } from '../../support/studio.ts';

test.describe.configure({ timeout: 240_000 });

async function checkViews(app: Page, paths: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, path] of Object.entries(paths)) {
    await goTo(app, path);
    await checkView(app, name);
  }
}

test('empty views and the page of an unknown address fit the window', async ({ app }) => {
  await checkViews(app, { 'dashboard-empty': '/', 'projects-empty': '/projects', 'jobs-empty': '/jobs' });
  await checkViews(app, { 'redeemable-tokens-empty': '/redeemable-tokens', 'not-found': '/no-such-page' });
});

test('a table of projects with selected rows fits the window', { tag: '@long' }, async ({ app }) => {
  await createProject(app, 'Gallery', []);
  await goTo(app, '/projects');
  await app.locator('label').filter({ hasText: 'Table' }).click();
  await app.getByRole('checkbox', { name: 'Select all rows' }).check();
  await checkView(app, 'projects-table');
});
