import { PrivateKey } from '@bsv/sdk';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';

/** The public key of the first vector of BIP32, with the version of test networks. */
const TPUB =
  'tpubD6NzVbkrYhZ4XgiXtGrdW5XDAPFCL9h7we1vwNCpn8tGbBcgfVYjXyhWo4E1xkh56hjod1RhGjxbaTLV3X4FyWuejifB9jusQ46QzG87VKp';

test('an account is created, another watched, and a private key imported and swept', { tag: '@long' }, async ({
  app,
  host,
}) => {
  test.setTimeout(240_000);
  const client = host.client();
  await app.getByRole('link', { name: 'Wallet', exact: true }).click();
  const menu = (name: string) => app.getByRole('button', { name: `Account: ${name}. Switch` });
  const dialog = app.getByRole('dialog');

  await menu('Main account').click();
  await app.getByRole('menuitem', { name: 'New account…' }).click();
  await dialog.getByLabel('Name').fill('Shop');
  await dialog.getByRole('button', { name: 'Create the account' }).click();
  await expect(menu('Shop')).toBeVisible();
  await expect(app.getByTestId('total')).toHaveText('0');
  const shop = (await client.wallet.accounts.list()).find(({ active }) => active);
  await client.sandbox.fund({ address: shop?.address as string, satoshis: 45_000 });
  await expect(app.getByTestId('total')).toHaveText('45,000');

  await menu('Shop').click();
  await expect(app.getByRole('menu')).toBeVisible();
  await app.getByRole('menuitem', { name: 'Watch an account…' }).click();
  await dialog.getByLabel('Name').fill('Cold');
  await dialog.getByLabel('Extended public key').fill('not a key');
  await dialog.getByRole('button', { name: 'Watch it' }).click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await checkView(app, 'wallet-watch-refused');
  await dialog.getByLabel('Extended public key').fill(TPUB);
  await dialog.getByRole('button', { name: 'Watch it' }).click();
  await expect(app.getByText('This account only watches')).toBeVisible();
  await expect(app.getByRole('link', { name: 'Send' })).toHaveCount(0);
  await checkView(app, 'wallet-watch-only');

  await menu('Cold').click();
  await app.getByRole('menuitem', { name: 'Import a private key…' }).click();
  await dialog.getByLabel('Name').fill('Paper');
  await dialog.getByLabel('Private key').fill(new PrivateKey(31_337).toWif([0xef]));
  await dialog.getByRole('button', { name: 'Import the key' }).click();
  await expect(menu('Paper')).toBeVisible();
  const paper = (await client.wallet.accounts.list()).find(({ active }) => active);
  await client.sandbox.fund({ address: paper?.address as string, satoshis: 1 });
  await client.sandbox.fund({ address: paper?.address as string, satoshis: 30_000 });
  await expect(app.getByText('and 1 token, which is never spent as money')).toBeVisible();
  await expect(app.getByTestId('total')).toHaveText('30,000');
  await checkView(app, 'wallet-imported');
  await app.getByRole('button', { name: 'Sweep to the main account' }).click();
  await app.getByRole('button', { name: /^Approve and / }).click();
  await expect(app.getByText(/^Sent, and in block/)).toBeVisible();
  await app.getByRole('link', { name: 'Back to the wallet' }).click();
  await expect(app.getByTestId('total')).toHaveText('0');

  await client.sandbox.reorg({ depth: 2 });
  const notice = app.getByText(/^The chain was reorganised and touched/);
  await expect(notice).toBeVisible();
  await checkView(app, 'wallet-notice');
  await app.getByRole('button', { name: 'Dismiss' }).click();
  await expect(notice).toHaveCount(0);
  await menu('Paper').click();
  await app.getByRole('menuitem', { name: /Main account/ }).click();
  await expect(menu('Main account')).toBeVisible();
});
