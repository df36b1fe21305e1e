import type { Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect, testWithOwnHost } from '../../support/fixtures.ts';
import { openHost } from '../../support/open.ts';
import { goTo } from '../../support/studio.ts';

/** The page loses the host for a moment when the network changes, which the browser reports as errors. */
const test = testWithOwnHost.extend<{ app: Page }>({
  app: async ({ page, host }, use) => {
    await openHost(page, host);
    await use(page);
  },
});

const PASSPHRASE = 'correct horse battery staple';

/** The colours are fixed: the badge and the line at the top of the window have them. */
const colors = { sandbox: 'rgb(15, 118, 110)', test: 'rgb(109, 63, 200)', main: 'rgb(156, 87, 34)' } as const;

async function expectNetwork(app: Page, network: keyof typeof colors, name: string): Promise<void> {
  const badge = app.getByRole('button', { name: `Network: ${name}` });
  await expect(badge).toBeVisible({ timeout: 60_000 });
  await expect(badge).toHaveCSS('color', colors[network]);
  await expect(app.locator('[data-network]')).toHaveCSS('background-color', colors[network]);
}

const row = (app: Page, name: string) => app.locator(`[data-row="${name}"]`);

test.describe.configure({ mode: 'serial' });

test('the network menu lists the networks with what each lacks, and each has a page', { tag: '@long' }, async ({
  app,
}) => {
  await expectNetwork(app, 'sandbox', 'Sandbox');
  await app.getByRole('button', { name: 'Network: Sandbox' }).click();
  await expect(app.getByRole('menuitem', { name: /Sandbox in use/ })).toBeVisible();
  await expect(app.getByRole('menuitem', { name: /Main 3 things missing/ })).toBeVisible();
  await app.getByRole('menuitem', { name: /^Test/ }).click();
  await expect(app.getByRole('heading', { name: 'Test network', level: 1 })).toBeVisible();
});

test('the test of the sandbox passes each step', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/networks/sandbox');
  await app.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(app.locator('[data-step]')).toHaveCount(10);
  await expect(app.locator('[data-step]').getByText('passed')).toHaveCount(10);
  await expect(app.locator('[data-step="serves"]')).toContainText('What Planchet needs');
  await expect(app.locator('[data-step="zmq"]')).toContainText('Subscribed to new blocks.');
  await expect(app.locator('[data-step="miner"]').first()).toContainText('Miner Default');
});

test('what a network lacks is added on its page, and the switch starts all services on it', async ({ app }) => {
  await goTo(app, '/networks/test');
  await expect(app.locator('[data-row]')).toHaveCount(6);
  await expect(row(app, 'wallet')).toHaveAttribute('data-open', 'true');
  await row(app, 'wallet').getByLabel('New passphrase').fill(PASSPHRASE);
  await row(app, 'wallet').getByLabel('Passphrase again').fill(PASSPHRASE);
  await row(app, 'wallet').getByRole('button', { name: 'Create the wallet' }).click();
  await expect(row(app, 'wallet')).toHaveAttribute('data-state', 'done');
  await row(app, 'backup').getByLabel('Passphrase').fill(PASSPHRASE);
  const saving = app.waitForEvent('download');
  await row(app, 'backup').getByRole('button', { name: '1. Save the backup file' }).click();
  const file = await (await saving).path();
  await row(app, 'backup').locator('input[type=file]').setInputFiles(file);
  await expect(row(app, 'backup')).toHaveAttribute('data-state', 'done');
  await expect(row(app, 'sources')).toHaveAttribute('data-open', 'true');
  await app.getByRole('button', { name: 'Your own node or services' }).click();
  await app.getByLabel('Node (RPC and REST)').fill('http://me:hunter2@127.0.0.1:9/');
  await app.getByLabel('Token service', { exact: true }).fill('http://127.0.0.1:9/v1');
  await app.getByLabel('API key', { exact: true }).fill('a key of my own');
  await app.getByLabel('Passphrase').last().fill(PASSPHRASE);
  await app.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(app.getByLabel('Node (RPC and REST)')).toHaveValue('http://me:•••@127.0.0.1:9/');
  await checkView(app, 'network-complete');
  await row(app, 'sources').getByRole('region').getByRole('button', { name: 'Change to Test' }).click();
  await expectNetwork(app, 'test', 'Test');
  // Back on the page where the change was made.
  await expect(app.getByRole('heading', { name: 'Test network', level: 1 })).toBeVisible();
  await expect(row(app, 'backup')).toHaveAttribute('data-state', 'done');
  await expect(row(app, 'wallet')).toContainText('It is locked.');
  await expect(app.getByRole('link', { name: 'Sandbox' })).toHaveCount(0);
});

test('the main network asks for its name, and for what is missing to be given up', async ({ app }) => {
  await expectNetwork(app, 'test', 'Test');
  await goTo(app, '/networks/main?step=sources');
  const change = row(app, 'sources').getByRole('region').getByRole('button', { name: 'Change to Main' });
  await expect(change).toBeDisabled();
  await app.getByRole('checkbox', { name: 'Go without: Node or public services, Wallet, Checked backup' }).check();
  await expect(change).toBeDisabled();
  await app.getByLabel('Type “main” to confirm').fill('mail');
  await expect(change).toBeDisabled();
  await app.getByLabel('Type “main” to confirm').fill('main');
  await change.click();
  await expectNetwork(app, 'main', 'Main');
});

test('the switch back to the sandbox needs no confirmation, and the values of the other networks are kept', {
  tag: '@long',
}, async ({ app }) => {
  await goTo(app, '/networks/sandbox');
  await app.getByRole('button', { name: 'Change to Sandbox' }).click();
  await expectNetwork(app, 'sandbox', 'Sandbox');
  await goTo(app, '/networks/test');
  await expect(row(app, 'backup')).toHaveAttribute('data-state', 'done');
  await app.getByRole('button', { name: 'Your own node or services' }).click();
  await expect(app.getByLabel('Node (RPC and REST)')).toHaveValue('http://me:•••@127.0.0.1:9/');
});
