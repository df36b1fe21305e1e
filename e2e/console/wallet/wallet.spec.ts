import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

/** The rows of the history, newest first, as the table exports them. */
async function exportedHistory(app: Page): Promise<Record<string, unknown>[]> {
  const saved = app.waitForEvent('download');
  await app.getByRole('button', { name: 'Export everything' }).click();
  await app.getByRole('menuitem', { name: 'As JSON' }).click();
  return JSON.parse(await readFile(await (await saved).path(), 'utf8'));
}

test('money is received, labelled, sent and found in the history', async ({ app, host }) => {
  test.setTimeout(240_000);
  const client = host.client();
  await app.getByRole('link', { name: 'Wallet', exact: true }).click();
  await expect(app.getByRole('heading', { name: 'Wallet', level: 1 })).toBeVisible();

  await app.getByRole('tab', { name: 'Receive' }).click();
  const code = app.getByRole('img', { name: /^QR code of/ });
  const main = (await code.getAttribute('data-text')) as string;
  await app.getByRole('button', { name: 'New address' }).click();
  await expect(code).not.toHaveAttribute('data-text', main);
  const fresh = (await code.getAttribute('data-text')) as string;
  await app.getByRole('textbox', { name: 'Amount' }).fill('250000');
  await expect(app.getByRole('img', { name: /asks for 250,000 sat/ })).toHaveAttribute(
    'data-text',
    `bitcoin:${fresh}?sv&amount=0.00250000`,
  );
  const before = await client.wallet.balance();
  await client.sandbox.fund({ address: fresh, satoshis: 250_000 });
  await expect(app.getByTestId('elsewhere')).toHaveText('250,000 sat');

  await app.getByRole('tab', { name: 'History' }).click();
  const received = app.getByRole('row').filter({ hasText: '+250,000 sat' });
  await received.getByRole('button', { name: 'Add a label' }).click();
  await app.getByRole('textbox', { name: 'Label', exact: true }).fill('From the faucet');
  await app.keyboard.press('Enter');
  await expect(app.getByRole('button', { name: 'Label: From the faucet. Change it' })).toBeFocused();

  await app.getByRole('link', { name: 'Send' }).click();
  await app.getByRole('button', { name: 'Review' }).click();
  await expect(app.getByText('Enter an address.')).toBeVisible();
  await app.getByLabel('Address 1').fill('not an address');
  await expect(app.getByText(/is not an address|not a valid address|address/i).first()).toBeVisible();
  const payee = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
  await app.getByLabel('Address 1').fill(payee);
  await app.getByRole('textbox', { name: 'Amount 1' }).fill('60000');
  await app.getByRole('button', { name: 'Add a receiver' }).click();
  await app.getByLabel('Address 2').fill(payee);
  await app.getByRole('textbox', { name: 'Amount 2' }).fill('40000');
  await app.getByLabel('Label').fill('Rent');
  await app.getByRole('checkbox', { name: /Choose the coins/ }).check();
  await app.getByRole('checkbox', { name: /250,000 sat/ }).check();
  await expect(app.getByText('1 coin chosen, 250,000 sat')).toBeVisible();
  await checkView(app, 'wallet-send');
  await app.getByRole('button', { name: 'Review' }).click();
  // Both amounts go to one address.
  await expect(app.getByText(/You send 100,000 sat to mipcBb/)).toBeVisible();
  await checkView(app, 'wallet-review');

  // A built payment can be returned to the form with all typed values.
  await app.getByRole('button', { name: 'Change it', exact: true }).click();
  await expect(app.getByRole('textbox', { name: 'Amount 2' })).toHaveValue('40,000');
  await app.getByRole('button', { name: 'Review' }).click();
  await app.getByRole('button', { name: /^Approve and send 100,\d+ sat$/ }).click();
  await expect(app.getByText(/^Sent, and in block/)).toBeVisible();
  await app.getByRole('link', { name: 'Back to the wallet' }).click();
  await expect(app.getByRole('button', { name: 'Label: Rent. Change it' })).toBeVisible();

  const [newest] = await exportedHistory(app);
  const { total } = await client.wallet.balance();
  expect(newest).toMatchObject({ label: 'Rent', purpose: 'sent', balance: total });
  expect(total).toBe(before.total + 250_000 - 100_000 - Number(newest?.fee));
});

test('coins are frozen, unfrozen, and combined into one', { tag: '@long' }, async ({ app, host }) => {
  test.setTimeout(240_000);
  const client = host.client();
  const { address } = await client.wallet.status();
  for (const satoshis of [5_000, 70_000, 900_000]) {
    await client.sandbox.fund({ address: address as string, satoshis });
  }
  await goTo(app, '/wallet/coins');
  const block = app.getByRole('button', { name: '70,000 sat, Spendable' });
  await block.click();
  await app.getByRole('button', { name: 'Freeze' }).click();
  await expect(app.getByRole('button', { name: '70,000 sat, Frozen' })).toBeVisible();
  await expect(app.getByTestId('frozen')).toHaveText('70,000 sat');

  await app.locator('label').filter({ hasText: 'Table' }).click();
  await app.getByRole('textbox', { name: /^Filter/ }).fill('frozen');
  await app.getByRole('checkbox', { name: 'Select row 1', exact: true }).check();
  await checkView(app, 'wallet-coins-table');
  await app.getByRole('button', { name: 'Thaw' }).click();
  await expect(app.getByTestId('frozen')).toHaveText('0 sat');

  await app.getByRole('button', { name: 'Consolidate…' }).click();
  await app.getByRole('dialog').getByRole('button', { name: 'Review' }).click();
  await expect(app.getByText(/^You combine \d+ coins in your own wallet/)).toBeVisible();
  await app.getByRole('button', { name: /^Approve and move/ }).click();
  await expect(app.getByText(/^Sent, and in block/)).toBeVisible();
  const coins = await client.wallet.coins.list();
  // Mints of other files may reserve coins.
  expect(coins.filter(({ kind, lockedBy }) => kind === 'funding' && lockedBy === null)).toHaveLength(1);
});

test('a backup file is made and checked, and a locked wallet is unlocked again', async ({ app }) => {
  await goTo(app, '/wallet/keys');
  const passphrase = 'correct horse battery';
  const make = app.getByRole('region', { name: 'Make a backup file' });
  const check = app.getByRole('region', { name: 'Check a backup file' });
  await make.getByLabel('Passphrase of the file').fill(passphrase);
  await make.getByLabel('Passphrase again').fill(passphrase);
  const saved = app.waitForEvent('download');
  await make.getByRole('button', { name: 'Make and download' }).click();
  const file = await (await saved).path();
  await expect(make.getByText(/was saved/)).toBeVisible();

  const chooser = app.waitForEvent('filechooser');
  await check.getByRole('button', { name: 'Backup file' }).click();
  await (await chooser).setFiles(file);
  await check.getByLabel('Passphrase of the file').fill('wrong');
  await check.getByRole('button', { name: 'Check the file' }).click();
  await expect(check.getByRole('alert')).toBeVisible();
  await checkView(app, 'wallet-backup-refused');
  await check.getByLabel('Passphrase of the file').fill(passphrase);
  await check.getByRole('button', { name: 'Check the file' }).click();
  await expect(check.getByText('The file restores exactly this wallet.')).toBeVisible();
  await expect(app.getByText(/A backup file was last checked .*: it restores this wallet/)).toBeVisible();

  await app.getByRole('button', { name: 'Show the words' }).click();
  await expect(app.getByRole('list', { name: 'Words of the wallet' }).getByRole('listitem')).toHaveCount(12);
  await app.getByRole('button', { name: 'Hide the words' }).click();
  await expect(app.getByRole('list', { name: 'Words of the wallet' })).toHaveCount(0);

  await app.getByRole('button', { name: 'Lock', exact: true }).click();
  await expect(app.getByRole('heading', { name: 'The wallet is locked' })).toBeVisible();
  await checkView(app, 'wallet-locked');
  await app.getByRole('button', { name: 'Unlock' }).click();
  await expect(app.getByRole('button', { name: 'Lock', exact: true })).toBeVisible();
});
