import { expect, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('? opens the help of the page and the shortcuts, by keyboard alone', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/wallet');
  await app.keyboard.press('?');
  const sheet = app.getByRole('dialog', { name: 'Help' });
  await expect(sheet.getByRole('heading', { name: 'Wallet' })).toBeVisible();
  await expect(sheet.getByText('Search for anything, or run a command')).toBeVisible();
  await app.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
  await app.keyboard.press('?');
  await sheet.getByRole('link', { name: 'All documents' }).press('Enter');
  await expect(app.getByRole('heading', { level: 1, name: 'Help' })).toBeVisible();
});

test('a question mark typed into a field does not open the help', async ({ app }) => {
  await goTo(app, '/settings');
  const field = app.getByRole('textbox', { name: 'Search the settings' });
  await field.fill('');
  await field.press('?');
  await expect(field).toHaveValue('?');
  await expect(app.getByRole('dialog')).toHaveCount(0);
});

test('the log is followed, filtered, paused, copied and saved', { tag: '@long' }, async ({ app, host }) => {
  await goTo(app, '/help/log');
  const lines = app.getByRole('region', { name: 'Lines of the log' });
  await expect(lines.getByRole('button').first()).toBeVisible();
  // Each restart is logged.
  const writes = (): Promise<unknown> =>
    host.client().settings.set({ key: 'bitcoinRpcUrl', value: 'http://127.0.0.1:9' });
  const puts = (): Promise<unknown> => host.client().settings.reset({ keys: ['bitcoinRpcUrl'] });
  await app.getByRole('textbox', { name: 'Filter the lines' }).fill('No upstream node can be asked');
  const hits = lines.getByRole('button').filter({ hasText: 'No upstream node can be asked' });
  const before = await hits.count();
  await writes();
  await expect.poll(() => hits.count()).toBeGreaterThan(before);
  await hits.last().click();
  await expect(app.getByRole('region', { name: 'The whole line' })).toContainText('gateway');
  await app.getByRole('button', { name: 'Pause' }).click();
  const held = await hits.count();
  await puts();
  await expect(app.getByText(/^Paused; \d+ lines? came since\.$/)).toBeVisible();
  await expect(app.getByText('Paused; 0 lines came since.')).toHaveCount(0);
  expect(await hits.count()).toBe(held);
  await app.getByRole('button', { name: 'Copy the lines' }).click();
  const copied = await app.evaluate(() => navigator.clipboard.readText());
  expect(copied.match(/No upstream node can be asked/g)).toHaveLength(held);
  await app.getByRole('button', { name: 'Go on' }).click();
  await app.getByRole('combobox', { name: 'Least severe level' }).click();
  await app.getByRole('option', { name: 'Errors alone' }).click();
  await expect(app.getByText('No line matches.')).toBeVisible();
  const saved = app.waitForEvent('download');
  await app.getByRole('button', { name: 'Save as a file' }).click();
  expect((await saved).suggestedFilename()).toBe('planchet.log');
  // Later tests start with a gateway that has its node again.
  await expect(app.getByRole('button', { name: 'Services: All running' })).toBeVisible();
});
