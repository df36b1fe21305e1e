import type { Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import { approveAndWait, buildMint, createProject, goTo } from '../../support/studio.ts';

test.describe.configure({ timeout: 240_000 });

async function checkViews(app: Page, paths: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, path] of Object.entries(paths)) {
    await goTo(app, path);
    await checkView(app, name);
  }
}

test('what is empty at first', async ({ app }) => {
  await checkViews(app, { 'dashboard-empty': '/', 'projects-empty': '/projects', 'jobs-empty': '/jobs' });
  await checkViews(app, { 'redeemable-tokens-empty': '/redeemable-tokens', 'token-design': '/redeemable-tokens/new' });
  await checkViews(app, { 'not-found': '/no-such-page', 'error-help': '/errors/settings-invalid' });
});

test('a mint from its files to its transaction', async ({ app }) => {
  const here = (): string => app.url().split('#')[1] as string;
  await createProject(app, 'Gallery', ['copper-moon.png', 'tide.svg', 'haiku.txt']);
  for (const name of ['Copper moon', 'Tide', 'Haiku']) await expect(app.getByText(name).first()).toBeVisible();
  const project = here();
  await buildMint(app);
  await checkView(app, 'review');
  await approveAndWait(app);
  await checkView(app, 'minted');
  const tx = await app.getByRole('link', { name: 'Open the transaction' }).getAttribute('href');
  await goTo(app, tx?.replace(/^.*#/, '') as string);
  await app.getByRole('button', { name: 'Verify' }).click();
  await expect(app.getByText(/^Proven:/)).toBeVisible();
  await checkView(app, 'transaction');
  await checkViews(app, { dashboard: '/', project });
  await goTo(app, '/projects');
  await app.locator('label').filter({ hasText: 'Table' }).click();
  await app.getByRole('checkbox', { name: 'Select all rows' }).check();
  await checkView(app, 'projects-table');
});

test('the gateway after a test of its connection', async ({ app }) => {
  await goTo(app, '/gateway/connect');
  await app.getByRole('button', { name: 'Test the connection' }).click();
  await expect(app.getByRole('group', { name: 'This gateway' })).toBeVisible();
  await checkView(app, 'gateway-connect');
});
