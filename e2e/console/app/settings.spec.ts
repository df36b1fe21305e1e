import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createHttpClient } from '../../../src/main/console/http-client.ts';
import { lockOwner } from '../../../src/main/infrastructure/data-folder.ts';
import { checkView } from '../../support/check-view.ts';
import { expect, expectAccessible, test } from '../../support/fixtures.ts';
import { startHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';
import { goTo } from '../../support/studio.ts';

test('a setting is validated as typed, saved to the file, and reset', async ({ app, host }) => {
  await goTo(app, '/settings');
  const row = app.locator('[data-key="maxFeeSatoshis"]');
  const field = row.getByRole('textbox', { name: 'Highest fee' });
  await expect(field).toHaveValue('5000000');
  const save = app.getByRole('button', { name: /^Save \d/ });
  await expect(save).toHaveCount(0);
  await field.fill('a lot');
  await expect(row.getByText('must be a whole number')).toBeVisible();
  await expect(save).toBeDisabled();
  await app.getByRole('textbox', { name: 'Search the settings' }).fill('theme');
  await expect(row).toHaveCount(0);
  await expect(app.getByText('Not saved while this is not valid: Highest fee.')).toBeVisible();
  await app.getByRole('textbox', { name: 'Search the settings' }).fill('');
  await field.fill('4000000');
  await save.click();
  await expect(row.getByText('Changed')).toHaveCount(0);
  await expect(app.getByText('1 setting is saved.')).toBeVisible();
  const stored = (): Record<string, unknown> =>
    JSON.parse(readFileSync(join(host.ready.dataDir, 'settings.json'), 'utf8')) as Record<string, unknown>;
  expect(stored().maxFeeSatoshis).toBe(4_000_000);
  await expect(row.getByText('saved, was 5000000 · takes effect at once')).toBeVisible();
  await row.getByRole('button', { name: 'Undo the change of Highest fee' }).click();
  await expect(field).toHaveValue('5000000');
  expect(stored()).not.toHaveProperty('maxFeeSatoshis');
});

test('a key that needs a restart offers it, and the service runs on the new value', { tag: '@long' }, async ({
  app,
}) => {
  await goTo(app, '/settings');
  const row = app.locator('[data-key="gatewayCacheBytes"]');
  await row.getByRole('textbox').fill('50000000');
  await expect(row.getByText('was 67108864 · takes effect after this restarts: Node gateway')).toBeVisible();
  await app.getByRole('button', { name: 'Save 1 change' }).click();
  const restart = app.getByRole('main').getByRole('button', { name: 'Restart Node gateway' });
  await restart.click();
  await expect(restart).toHaveCount(0);
  await expect(row.getByRole('textbox')).toHaveValue('50000000');
});

test('every view warns of unchecked certificates until they are checked again', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const client = createHttpClient({ url: host.ready.console, bearer: lockOwner(host.ready.dataDir)?.token as string });
  const warning = app.getByRole('status').filter({ hasText: 'ignoreCertificate is on' });
  await expect(warning).toHaveCount(0);
  await client.settings.set({ key: 'ignoreCertificate', value: true });
  for (const path of ['/', '/gateway', '/explorer', '/settings']) {
    await goTo(app, path);
    await expect(warning).toBeVisible();
  }
  await expectAccessible(app);
  await client.settings.set({ key: 'ignoreCertificate', value: false });
  await expect(warning).toHaveCount(0);
});

test('the header shows that no upstream of the gateway answers, with the reason, until one does', {
  tag: '@long',
}, async ({ app, host }) => {
  const client = createHttpClient({ url: host.ready.console, bearer: lockOwner(host.ready.dataDir)?.token as string });
  await goTo(app, '/');
  await expect(app.getByRole('button', { name: 'Services: All running' })).toBeVisible();
  // Nothing listens on the discard port.
  await client.settings.set({ key: 'bitcoinRpcUrl', value: 'http://127.0.0.1:9' });
  await app.getByRole('button', { name: /^Services: \d problems?$/ }).click();
  const gateway = app.getByRole('dialog', { name: 'Services' }).locator('[data-service="gateway"]');
  await expect(gateway.getByText('No upstream node can be asked. The node at http://127.0.0.1:9')).toBeVisible();
  await expectAccessible(app);
  await client.settings.set({ key: 'bitcoinRpcUrl', value: '' });
  await expect(gateway.getByText('No upstream node can be asked')).toHaveCount(0);
  await expect(gateway.getByText('Running')).toBeVisible();
});

test('the upstream is tested as typed, without saving it', { tag: '@long' }, async ({ app, host }) => {
  await goTo(app, '/settings');
  const row = app.locator('[data-key="bitcoinRpcUrl"]');
  const test = app.getByRole('button', { name: 'Test upstream' });
  const report = app.getByRole('region', { name: 'Test', exact: true });
  await test.click();
  await expect(report.getByText('Passed')).not.toHaveCount(0);
  await row.getByRole('textbox').fill('no address');
  await expect(row.getByText('must be empty or http(s) addresses')).toBeVisible();
  await expect(test).toBeDisabled();
  await row.getByRole('textbox').fill('http://127.0.0.1:1');
  await test.click();
  await expect(report.getByText('127.0.0.1:1 cannot be reached')).toBeVisible();
  await expect(report.getByText('Not tried, because an earlier step failed.')).toHaveCount(5);
  // A restart of the gateway may have given it another port.
  const client = createHttpClient({ url: host.ready.console, bearer: lockOwner(host.ready.dataDir)?.token as string });
  const { rpc } = await client.gateway.connection();
  const login = readFileSync(host.ready.rpcCookieFile, 'utf8').trim();
  await row.getByRole('textbox').fill((rpc as string).replace('//', `//${login}@`));
  await test.click();
  await expect(report.getByText('Passed')).toHaveCount(6);
  await expect(report).not.toContainText(login.split(':')[1] as string);
  await app.getByRole('button', { name: 'Discard' }).click();
  await expect(row.getByRole('textbox')).toHaveValue('');
});

test('secrets are never shown, and settings of the command line are read-only', async ({ app }) => {
  await goTo(app, '/settings');
  const password = app.locator('[data-key="rpcPassword"]');
  await expect(password.getByText('Set', { exact: true })).toBeVisible();
  await expect(password.locator('input')).toHaveValue('');
  const overridden = app.locator('[data-key="rpcBind"]');
  await expect(overridden.getByRole('textbox')).toBeDisabled();
  await expect(overridden.getByText('Set by the command line')).toBeVisible();
});

test('a setting from the environment is read-only and names its variable', { tag: '@long' }, async ({ page }) => {
  const host = await startHost({ env: { PLANCHET_LOG_LEVEL: 'warn', PLANCHET_OTLP_ENDPOINT: 'http://127.0.0.1:1' } });
  try {
    await openHost(page, host);
    await goTo(page, '/settings');
    const level = page.locator('[data-key="logLevel"]');
    await expect(level.getByText('Set by the environment')).toBeVisible();
    await expect(level.getByText(/PLANCHET_LOG_LEVEL holds it/)).toBeVisible();
    await expect(level.getByRole('combobox')).toBeDisabled();
    await level.scrollIntoViewIfNeeded();
    await checkView(page, 'settings-environment');
  } finally {
    await host.stop();
  }
});

test('settings are found by search', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/settings');
  await app.getByRole('textbox', { name: 'Search the settings' }).fill('fees may cost');
  await expect(app.locator('[data-key]')).toHaveCount(1);
  await app.getByRole('textbox', { name: 'Search the settings' }).fill('no such thing');
  await expect(app.getByRole('heading', { name: 'No setting matches' })).toBeVisible();
  await app.getByRole('button', { name: 'Show all settings' }).click();
  await expect(app.locator('[data-key]').nth(10)).toBeVisible();
});

test('matches of the search are marked, and a link opens the settings at one row', { tag: '@long' }, async ({
  app,
}) => {
  await goTo(app, '/settings');
  await app.getByRole('textbox', { name: 'Search the settings' }).fill('timeout');
  await expect(app.locator('[data-key="bitcoinTimeout"] mark')).toHaveText(['timeout', 'Timeout']);
  await goTo(app, '/');
  await goTo(app, '/settings?find=writerWaitMined');
  const row = app.locator('[data-key="writerWaitMined"]');
  await expect(row).toBeInViewport();
  await expect(row.getByRole('textbox')).toBeFocused();
});

test('the index of the settings stays visible and follows the scroll position', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/settings');
  const index = app.getByRole('navigation', { name: 'Sections' });
  await expect(index.getByRole('button', { name: /^Appearance/ })).toHaveAttribute('aria-current', 'location');
  await index.getByRole('button', { name: 'Data writer' }).click();
  await expect(app.locator('[data-key="writerBind"]')).toBeInViewport();
  await expect(index).toBeInViewport();
  await app.locator('[data-key="sandbox.bind"]').scrollIntoViewIfNeeded();
  await app.locator('#settings-sandbox').evaluate((section) => section.scrollIntoView({ block: 'start' }));
  await expect(index.getByRole('button', { name: /^Sandbox/ })).toHaveAttribute('aria-current', 'location');
});

test('a port in use is not saved, and the next free one is offered', { tag: '@long' }, async ({ page }) => {
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
  const { port } = squatter.address() as { port: number };
  const host = await startHost({ set: { writerBind: undefined }, env: { PLANCHET_LOG_LEVEL: 'warn' } });
  try {
    await openHost(page, host);
    await goTo(page, '/settings?find=writerBind');
    const row = page.locator('[data-key="writerBind"]');
    await row.getByRole('textbox').fill(`127.0.0.1:${port}`);
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await expect(row.getByRole('alert')).toContainText(`already uses port ${port}.`);
    await checkView(page, 'settings-port');
    const propose = row.getByRole('button', { name: /^Use 127\.0\.0\.1:\d+$/ });
    const proposed = (await propose.textContent())?.replace('Use ', '') as string;
    await propose.click();
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await expect(row.getByText(/^saved, was :9500/)).toBeVisible();
    await expect(row.getByRole('textbox')).toHaveValue(proposed);
  } finally {
    await host.stop();
    await new Promise<void>((resolve) => squatter.close(() => resolve()));
  }
});

test('settings are exported, reset and imported with a preview, and each change can be undone', {
  tag: '@long',
}, async ({ page }) => {
  const host = await startHost({ filled: true });
  try {
    await host.client().settings.set({ key: 'maxFeeRate', value: 777 });
    await host.client().settings.set({ key: 'rpcPassword', value: 'never in a file' });
    await openHost(page, host);
    await goTo(page, '/settings');
    const menu = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'File and reset' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    const saved = page.waitForEvent('download');
    await menu('Export to a file');
    const file = await (await saved).path();
    expect(readFileSync(file, 'utf8')).toContain('777');
    expect(readFileSync(file, 'utf8')).not.toContain('never in a file');
    const field = page.locator('[data-key="maxFeeRate"]').getByRole('textbox');
    await menu('Reset all to their defaults');
    await expect(field).toHaveValue('1000');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect(field).toHaveValue('777');
    await menu('Reset all to their defaults');
    const chosen = page.waitForEvent('filechooser');
    await menu('Import from a file…');
    await (await chosen).setFiles(file);
    const preview = page.getByRole('dialog', { name: 'What the file would change' });
    await expect(preview.getByRole('row', { name: 'Highest fee rate 1000 777' })).toBeVisible();
    await expectAccessible(page);
    await expect(field).toHaveValue('1000');
    await preview.getByRole('button', { name: /^Change \d+ settings?$/ }).click();
    await expect(field).toHaveValue('777');
  } finally {
    await host.stop();
  }
});

test('a setting is changed by keyboard alone', { tag: '@long' }, async ({ app, host }) => {
  await goTo(app, '/settings');
  await app.getByRole('textbox', { name: 'Search the settings' }).focus();
  await app.keyboard.type('highest fee rate');
  const field = app.locator('[data-key="maxFeeRate"]').getByRole('textbox');
  const save = app.getByRole('button', { name: 'Save 1 change' });
  const tabTo = async (wanted: typeof field): Promise<void> => {
    for (let presses = 0; presses < 12; presses++) {
      await app.keyboard.press('Tab');
      if (await wanted.evaluate((element) => element === document.activeElement)) return;
    }
    throw new Error('the keyboard does not get there');
  };
  await tabTo(field);
  await app.keyboard.press('ControlOrMeta+a');
  await app.keyboard.type('900');
  await expect(save).toBeVisible();
  await tabTo(save);
  await app.keyboard.press('Enter');
  await expect(app.getByText('1 setting is saved.')).toBeVisible();
  const entries = await host.client().settings.list();
  expect(entries.find(({ key }) => key === 'maxFeeRate')?.value).toBe(900);
  await host.client().settings.reset({ keys: ['maxFeeRate'] });
});
