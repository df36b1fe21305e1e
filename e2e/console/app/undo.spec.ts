import { expect, test } from '../../support/fixtures.ts';
import { addText, goTo } from '../../support/studio.ts';

test('a removed draft is restored by a button, by Ctrl+Z after a reload, and from the bin', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const client = host.client();
  const { uid } = await client.projects.create({ name: 'Undo', type: 'single' });
  for (const name of ['Alpha', 'Beta']) await addText(client, uid, `${name}.txt`);
  const before = await client.items.list({ projectUid: uid });
  const names = async (): Promise<string[]> =>
    (await client.items.list({ projectUid: uid })).map(({ metadata }) => metadata.name);
  await goTo(app, `/projects/${uid}`);
  const remove = async (name: string): Promise<void> => {
    await app.getByRole('button', { name: `More actions: ${name}` }).click();
    await app.getByRole('menuitem', { name: /Remove/ }).click();
    await expect(app.getByText(`“${name}” was removed from the project.`)).toBeVisible();
  };
  await remove('Alpha');
  expect(await names()).toEqual(['Beta']);
  await app.getByRole('button', { name: 'Undo', exact: true }).focus();
  await app.keyboard.press('Enter');
  await expect(app.getByText('Undone: 1 draft removed.')).toBeVisible();
  expect(await client.items.list({ projectUid: uid })).toEqual(before);

  await remove('Beta');
  await app.reload();
  await expect(app.getByRole('heading', { name: 'Undo', level: 1 })).toBeVisible();
  expect(await names()).toEqual(['Alpha']);
  await app.keyboard.press('Control+z');
  await expect(app.getByText('Undone: 1 draft removed.')).toBeVisible();
  expect(await client.items.list({ projectUid: uid })).toEqual(before);

  await remove('Beta');
  await app.getByRole('button', { name: 'More about this project' }).click();
  await app.getByRole('menuitem', { name: 'Bin (1)' }).click();
  await app.getByRole('button', { name: 'Put back: Beta' }).click();
  await expect(app.getByText('Nothing was removed')).toBeVisible();
  expect(await client.items.list({ projectUid: uid })).toEqual(before);
});

test('a changed label is restored by the undo button', { tag: '@long' }, async ({ app, host }) => {
  const client = host.client();
  const { address } = await client.wallet.addresses.next({ label: 'shop' });
  const label = async (): Promise<string | undefined> =>
    (await client.wallet.addresses.list()).find((one) => one.address === address)?.label;
  await goTo(app, '/wallet/receive');
  const row = app.getByRole('row').filter({ hasText: address.slice(0, 4) });
  await row.getByRole('button', { name: 'Label: shop. Change it' }).click();
  await app.getByRole('textbox', { name: 'Label', exact: true }).fill('stall');
  await app.keyboard.press('Enter');
  await expect(app.getByText('The label was changed.')).toBeVisible();
  expect(await label()).toBe('stall');
  await app.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(row.getByRole('button', { name: 'Label: shop. Change it' })).toBeVisible();
  expect(await label()).toBe('shop');
});
