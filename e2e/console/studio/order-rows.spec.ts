import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import { addText, goTo } from '../../support/studio.ts';

test('drafts are reordered in the table by the pointer and the keyboard', { tag: '@long' }, async ({ app, host }) => {
  const client = host.client();
  const { uid } = await client.projects.create({ name: 'Rows', type: 'single' });
  for (const name of ['Alpha', 'Beta', 'Gamma', 'Delta']) await addText(client, uid, `${name}.txt`);
  const names = async (): Promise<string> =>
    (await client.items.list({ projectUid: uid })).map(({ metadata }) => metadata.name).join(' ');
  await goTo(app, `/projects/${uid}`);
  await app.locator('label').filter({ hasText: 'Table' }).click();
  const rowOf = (name: string) => app.getByRole('row').filter({ hasText: name });
  await rowOf('Delta').dragTo(rowOf('Beta'));
  await expect.poll(names).toBe('Alpha Delta Beta Gamma');
  await checkView(app, 'project-table-order');

  await app.getByRole('grid').focus();
  await app.keyboard.press('ArrowDown');
  await app.keyboard.press('Alt+ArrowDown');
  await expect.poll(names).toBe('Delta Alpha Beta Gamma');
  await app.keyboard.press('Alt+ArrowDown');
  await expect.poll(names).toBe('Delta Beta Alpha Gamma');
  await app.keyboard.press('Control+z');
  await expect.poll(names).toBe('Delta Alpha Beta Gamma');

  await app.getByRole('button', { name: 'Name', exact: true }).click();
  await expect(app.getByText('Sorted by a column: drafts keep their places.')).toBeVisible();
  await checkView(app, 'project-table-sorted');
  await app.getByRole('button', { name: 'Show their own order' }).click();
  await expect(app.getByText(/^Drag a draft to its place/)).toBeVisible();
  expect(await names()).toBe('Delta Alpha Beta Gamma');
});
