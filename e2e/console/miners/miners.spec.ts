import type { Locator } from '@playwright/test';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';

/**
 * Opens a menu and chooses an item, by the keys that a person presses. An open menu takes the focus in a task of its own: an item that a script focuses
 * before that loses it again, and Enter chooses nothing.
 */
async function chooseByKeyboard(button: Locator, name: string): Promise<void> {
  const { keyboard } = button.page();
  await button.focus();
  await keyboard.press('Enter');
  await expect(button.page().locator('[role="menu"]:focus-within')).toBeVisible();
  const item = button.page().getByRole('menuitem', { name });
  await expect(async () => {
    await keyboard.press('ArrowDown');
    await expect(item).toBeFocused({ timeout: 100 });
  }).toPass();
  await keyboard.press('Enter');
}

test('a miner is added, tested, moved and removed with the keyboard alone', { tag: '@long' }, async ({ app, host }) => {
  await app.goto(`${new URL(app.url()).origin}/#/miners`);
  const table = app.getByRole('table');
  await expect(table.getByRole('columnheader', { name: /Default/ })).toBeVisible();
  // Its fees and limits are read automatically.
  await expect(table.getByRole('row', { name: /^Largest transaction/ })).toBeVisible();

  const add = app.getByRole('button', { name: 'Add a miner' });
  await add.focus();
  await app.keyboard.press('Enter');
  const dialog = app.getByRole('dialog', { name: 'Add a miner' });
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await app.keyboard.type('Second');
  const address = dialog.getByRole('textbox', { name: 'Address' });
  await address.focus();
  // As the page shows it: on a shared host the sandbox may have been restarted on another port.
  const shown = await table.getByRole('group', { name: 'Default' }).innerText();
  await app.keyboard.type((/http:\S+\/mapi/.exec(shown)?.[0] ?? '').replace('127.0.0.1', 'localhost'));
  await dialog.getByLabel('API key', { exact: true }).focus();
  await app.keyboard.type(host.ready.sandboxApiKey ?? '');
  await dialog.getByRole('button', { name: 'Test it' }).focus();
  await app.keyboard.press('Enter');
  await expect(dialog.getByText('Everything passed.')).toBeVisible();
  await address.focus();
  await app.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(table.getByRole('columnheader', { name: /Second/ })).toBeVisible();

  const menu = app.getByRole('button', { name: 'Actions for Second' });
  await chooseByKeyboard(menu, 'Test');
  await expect(app.getByRole('region', { name: 'Test of Second' }).getByText('Everything passed.')).toBeVisible();
  // The report is above the table and scrolls into view; the next one replaces it.
  await chooseByKeyboard(app.getByRole('button', { name: 'Actions for Default' }), 'Test');
  await expect(app.getByRole('region', { name: 'Test of Default' }).getByText('Everything passed.')).toBeInViewport();
  await expect(app.getByRole('region', { name: 'Test of Second' })).toBeHidden();

  await chooseByKeyboard(menu, 'Remove');
  await expect(table.getByRole('columnheader', { name: /Second/ })).toBeHidden();
  await app.getByRole('button', { name: 'Undo', exact: true }).focus();
  await app.keyboard.press('Enter');
  await expect(table.getByRole('columnheader', { name: /Second/ })).toBeVisible();
  const second = (await host.client().miners.list()).find(({ name }) => name === 'Second');
  expect(second).toMatchObject({ hasKey: true, enabled: true });

  const on = app.getByRole('switch', { name: /Second/ });
  await on.focus();
  await app.keyboard.press('Space');
  await expect(app.getByText('Second is off: nothing is sent to it.')).toBeVisible();
  await app.getByRole('button', { name: 'Undo', exact: true }).focus();
  await app.keyboard.press('Enter');
  await expect(on).toBeChecked();
  await host.client().miners.remove({ id: second?.id as string });
});

test('miners are ordered by dragging and with the arrow keys', { tag: '@long' }, async ({ app, host }) => {
  const { mapi = '', sandboxApiKey: apiKey = '' } = host.ready;
  for (const [name, address] of [
    ['Second', 'localhost'],
    ['Third', '127.0.0.2'],
  ] as const) {
    const url = mapi.replace('127.0.0.1', address);
    const keys = { apiKey, keyStyle: 'bearer', pinnedKey: null } as const;
    // Disabled, so that no reply arrives during the drag and moves the columns.
    await host.client().miners.add({ name, kind: 'mapi', url, enabled: false, ...keys });
  }
  await app.goto(`${new URL(app.url()).origin}/#/miners`);
  const heads = app.getByRole('table').getByRole('columnheader');
  const grip = app.getByRole('button', { name: 'Order of Third' });
  await expect(heads.last()).toContainText('Third');
  await expect(app.getByRole('table').getByRole('row', { name: /^Largest transaction/ })).toBeVisible();
  await grip.dragTo(app.getByRole('group', { name: 'Second' }));
  await expect(heads.last()).toContainText('Second');
  await grip.focus();
  await app.keyboard.press('ArrowRight');
  await expect(heads.last()).toContainText('Third');
  await expect(grip).toBeFocused();
});
