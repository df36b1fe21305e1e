import { expect, expectAccessible, test } from '../support/fixtures.ts';
import { goTo } from '../support/studio.ts';

test('a block and its transaction are found by height, hash and id', async ({ app }) => {
  await goTo(app, '/explorer');
  const table = app.getByRole('grid', { name: 'Blocks' });
  await expect(table.getByRole('link').first()).toBeVisible();
  const box = app.getByRole('textbox', { name: /Height, hash/ });
  await box.fill('1');
  await app.getByRole('button', { name: 'Find' }).click();
  await expect(app.getByRole('heading', { name: 'Block 1', level: 1 })).toBeVisible();
  const hash = app.url().split('/block/')[1] as string;
  await expectAccessible(app);
  await app.getByRole('grid').getByRole('link').first().click();
  await expect(app).toHaveURL(/#\/tx\/[0-9a-f]{64}$/);
  const txid = app.url().split('/tx/')[1] as string;
  for (const [sought, reached] of [
    [hash, `/explorer/block/${hash}`],
    [txid, `/tx/${txid}`],
    [`${txid}_0`, `/tx/${txid}`],
  ] as const) {
    await goTo(app, '/explorer');
    await box.fill(sought);
    await app.getByRole('button', { name: 'Find' }).click();
    await expect(app).toHaveURL(new RegExp(`#${reached}$`));
  }
});

test('what cannot be found is explained', async ({ app }) => {
  await goTo(app, '/explorer');
  const box = app.getByRole('textbox', { name: /Height, hash/ });
  for (const [sought, said] of [
    ['99999999', 'There is no block at this height.'],
    ['ab'.repeat(32), 'The node knows neither a block nor a transaction'],
    ['what?', 'This is no height, hash'],
    ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', 'belongs to somebody else'],
  ] as const) {
    await box.fill(sought);
    await app.getByRole('button', { name: 'Find' }).click();
    await expect(app.getByText(said)).toBeVisible();
  }
});

test('blocks and mempool are accessible in both schemes', async ({ app }) => {
  for (const path of ['/explorer', '/explorer/mempool']) {
    await goTo(app, path);
    for (const scheme of ['light', 'dark'] as const) {
      await app.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await expectAccessible(app);
    }
  }
});
