import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkView } from '../../support/check-view.ts';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import { openHost } from '../../support/open.ts';
import { approveAndWait, buildMint, createProject, goTo, runCommand } from '../../support/studio.ts';

/** A page that tries to run in the window it is shown in, and to report to a server. */
const hostileTo = (server: string): string =>
  `<h1>Gift</h1><script>parent.document.title = 'taken over'</script><img src="${server}/leak">`;

test('minted tokens are shown as tiles, found by keyboard and opened in a sheet', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/tokens');
  await expect(app.getByText('No tokens yet')).toBeVisible();
  await checkView(app, 'tokens-empty');

  await createProject(app, 'Wall', ['haiku.txt', 'tide.svg', 'copper-moon.png']);
  for (const name of ['Haiku', 'Tide', 'Copper moon']) await expect(app.getByText(name).first()).toBeVisible();
  await app.getByRole('button', { name: 'Edit Copper moon' }).click();
  await app.getByRole('button', { name: 'Add a trait' }).click();
  await app.getByRole('textbox', { name: 'Name of trait 1' }).fill('Metal');
  await app.getByRole('textbox', { name: 'Value of trait 1' }).fill('Copper');
  await app.getByRole('button', { name: 'Save' }).click();
  await expect(app.getByRole('dialog')).toHaveCount(0);
  await buildMint(app);
  await approveAndWait(app);

  await app.getByRole('link', { name: 'Tokens', exact: true }).click();
  const wall = app.getByRole('listbox', { name: 'Your tokens' });
  await expect(wall.getByRole('option')).toHaveCount(3);
  await expect(wall.getByRole('img', { name: /copper-moon/ })).toBeVisible();

  await app.getByRole('textbox', { name: 'Find by name, trait, owner or id' }).fill('metal copper');
  await expect(wall.getByRole('option')).toHaveCount(1);
  await wall.focus();
  await app.keyboard.press('ArrowRight');
  await app.keyboard.press('Enter');
  const sheet = app.getByRole('dialog', { name: 'Copper moon' });
  await expect(sheet.getByText('Your wallet', { exact: true })).toBeVisible();
  await expect(sheet.getByText('In your wallet now')).toBeVisible();
  await expect(sheet.getByText('Inscribed')).toBeVisible();

  const downloading = app.waitForEvent('download');
  await sheet.getByRole('button', { name: 'Download', exact: true }).click();
  expect((await downloading).suggestedFilename()).toBe('copper-moon.png');
  const proving = app.waitForEvent('download');
  await sheet.getByRole('button', { name: 'Proof' }).click();
  const proof = await proving;
  expect(proof.suggestedFilename()).toBe('Copper moon proof.html');
  expect(await readFile(await proof.path(), 'utf8')).toMatch(/^<!doctype html>/i);
  const drawing = app.waitForEvent('download');
  await sheet.getByRole('button', { name: 'Certificate' }).click();
  const certificate = await drawing;
  expect(certificate.suggestedFilename()).toBe('Copper moon certificate.pdf');
  expect((await readFile(await certificate.path())).subarray(1, 4).toString()).toBe('PDF');
  await app.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
  await expect(wall).toBeFocused();

  // Two of them are sent to others by a list, one of these by the name of a contact.
  await app.getByRole('textbox', { name: 'Find by name, trait, owner or id' }).fill('');
  await expect(wall.getByRole('option')).toHaveCount(3);
  await goTo(app, '/wallet/contacts');
  await app.getByRole('textbox', { name: 'Name', exact: true }).fill('Mira');
  await app.getByRole('textbox', { name: 'Address', exact: true }).fill('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn');
  await app.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(app.getByRole('grid', { name: 'Contacts' }).getByText('Mira')).toBeVisible();
  await checkView(app, 'wallet-contacts');
  await goTo(app, '/tokens');
  await wall
    .getByRole('option')
    .nth(0)
    .click({ modifiers: ['Control'] });
  await wall
    .getByRole('option')
    .nth(1)
    .click({ modifiers: ['Shift'] });
  await app.getByRole('link', { name: 'Send 2 tokens…' }).click();
  await app
    .getByRole('textbox', { name: 'List of receivers' })
    .fill('Mira\nmkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV\nnobody');
  await expect(app.getByRole('grid', { name: 'Who gets what' }).getByRole('row')).toHaveCount(4);
  await checkView(app, 'tokens-send-many');
  await app.getByRole('checkbox', { name: 'Leave out the line that cannot be sent' }).check();
  await app.getByRole('button', { name: 'Review 2 tokens' }).click();
  await expect(app.getByText(/^You send 2 tokens to 2 addresses, each whole\./)).toBeVisible();
  await checkView(app, 'tokens-sent-many');
  await app.getByRole('button', { name: /^Approve and send 2 tokens/ }).click();
  await expect(app.getByText(/^Sent, and in block/)).toBeVisible({ timeout: 20_000 });
  await expect(app.getByRole('grid', { name: 'Tokens' }).getByText('Mined')).toHaveCount(2);
  const exporting = app.waitForEvent('download');
  await app.getByRole('region', { name: 'Tokens' }).getByRole('button', { name: 'Export' }).click();
  await app.getByRole('menuitem', { name: 'As CSV' }).click();
  const lines = (await readFile(await (await exporting).path(), 'utf8')).trim().split(/\r?\n/);
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(/^[0-9a-f]{64}_\d+,mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn,mined,[0-9a-f]{64}$/);
});

test('a token is sent with the keyboard alone, and followed to its block', { tag: '@long' }, async ({ app, host }) => {
  const client = host.client();
  await createProject(app, 'Keys', ['haiku.txt']);
  await expect(app.getByText('Haiku').first()).toBeVisible();
  await buildMint(app);
  await approveAndWait(app);
  const receiver = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
  const press = (key: string) => app.keyboard.press(key);
  const focused = app.locator(':focus');
  /** Presses Tab until the named control has the focus. */
  const tabTo = async (name: RegExp): Promise<void> => {
    await expect(async () => {
      await press('Tab');
      expect(await focused.evaluate((element) => element.textContent)).toMatch(name);
    }).toPass({ intervals: [0] });
  };

  await runCommand(app, 'Tokens');
  const wall = app.getByRole('listbox', { name: 'Your tokens' });
  await expect(wall.getByRole('option').first()).toHaveAccessibleName('Haiku, Keys, Proven');
  await expect(async () => {
    await press('Tab');
    await expect(wall).toBeFocused({ timeout: 1 });
  }).toPass({ intervals: [0] });
  await press('ArrowRight');
  await press('Enter');
  await expect(app.getByRole('dialog', { name: 'Haiku' }).getByRole('link', { name: 'Send' })).toBeVisible();
  await tabTo(/^Send$/);
  await press('Enter');
  const field = app.getByLabel('Address of the receiver');
  await expect(field).toBeFocused();
  await app.keyboard.type('nobody');
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await press('ControlOrMeta+a');
  await app.keyboard.type(receiver);
  await expect(app.getByText('gets the whole token')).toBeVisible();
  await press('Enter');
  await expect(app.getByText(/^You send Haiku to/)).toBeVisible();
  await checkView(app, 'token-send-review');
  await tabTo(/^Approve and send/);
  await press('Enter');
  await expect(app.getByText(/^Sent, and in block/)).toBeVisible({ timeout: 20_000 });
  expect(await client.tokens.list({ text: 'Keys', owned: false })).toMatchObject({ total: 1 });
});

test('hostile content cannot leave its frame in the sheet of a token', async ({ page: app, host }) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page = hostileTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    await openHost(app, host);
    await createProject(app, 'Hostile', [{ name: 'gift.html', mimeType: 'text/html', buffer: Buffer.from(page) }]);
    await expect(app.getByText('Gift').first()).toBeVisible();
    await buildMint(app);
    await approveAndWait(app);
    await goTo(app, '/tokens');
    await app.getByRole('option', { name: /^Gift, Hostile/ }).click();
    const sheet = app.getByRole('dialog', { name: 'Gift' });
    const frame = sheet.locator('iframe');
    await expect(frame).toHaveAttribute('sandbox', '');
    await expect(frame.contentFrame().getByRole('heading', { name: 'Gift' })).toBeVisible();
    await expect(app).toHaveTitle('Tokens · Planchet');
    expect(asked).toEqual([]);
  } finally {
    server.close();
  }
});

test('a received satoshi without an inscription is shown as untrusted', { tag: '@long' }, async ({ app, host }) => {
  const client = host.client();
  const { address } = await client.wallet.status();
  await client.sandbox.fund({ address: address as string, satoshis: 1 });
  await goTo(app, '/tokens');
  // The tile of a received token says so as well, and is shown before the filters are loaded.
  const origins = app.getByRole('radiogroup', { name: 'Where they come from' });
  await origins.getByText('Received', { exact: true }).click();
  const tile = app.getByRole('option', { name: /^Received token/ });
  await expect(tile.getByText('Untrusted')).toBeVisible();
  await expect(tile.getByText('No inscription found')).toBeVisible();
  await checkView(app, 'tokens-received');
  await tile.click();
  await expect(app.getByText('Untrusted: no inscription was found')).toBeVisible();
  await checkView(app, 'tokens-received-sheet');
});
