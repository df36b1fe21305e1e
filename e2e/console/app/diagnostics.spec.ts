import { readFileSync } from 'node:fs';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

test('the checks name what is wrong, lead to its setting, and pass once it is right', async ({ app, host }) => {
  await goTo(app, '/help/checks');
  await expect(app.getByText(/^\d+ checks passed, none failed\.$/)).toBeVisible();
  await host.client().settings.set({ key: 'consoleBaseUrl', value: 'http://127.0.0.1:9' });
  await app.getByRole('button', { name: 'Check again' }).click();
  await expect(app.getByText('1 check failed.')).toBeVisible();
  await checkView(app, 'checks-failed');
  await app.getByRole('link', { name: 'Open the setting' }).click();
  await expect(app.locator('[data-key="consoleBaseUrl"]')).toBeInViewport();
  await host.client().settings.reset({ keys: ['consoleBaseUrl'] });
  await goTo(app, '/help/checks');
  await expect(app.getByText(/^\d+ checks passed, none failed\.$/)).toBeVisible();
});

test('each file of a report is shown before the report is saved', { tag: '@long' }, async ({ app, host }) => {
  await goTo(app, '/help/report');
  await app.getByRole('button', { name: 'Make a report' }).click();
  await app.getByText('settings.json').click();
  const content = app.getByRole('region', { name: 'Content of settings.json' });
  await expect(content).toContainText('"rpcPassword"');
  const password = readFileSync(host.ready.rpcCookieFile, 'utf8').trim().split(':')[1] as string;
  const download = app.waitForEvent('download');
  await app.getByRole('button', { name: 'Save the zip' }).click();
  const zip = await download;
  expect(zip.suggestedFilename()).toMatch(/^planchet-diagnostics-.*\.zip$/);
  expect(readFileSync(await zip.path()).toString('latin1')).not.toContain(password);
});
