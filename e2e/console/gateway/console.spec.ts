import type { Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

const line = (app: Page) => app.getByRole('textbox', { name: 'Command line' });
const runs = (app: Page) => app.getByRole('list', { name: 'Answers' }).locator('> li');

test('a line is completed, checked and run by keyboard, and its answers fold and link', async ({ app }) => {
  await goTo(app, '/gateway/console');
  await line(app).pressSequentially('getbestb');
  await expect(app.getByTestId('ghost')).toHaveText('getbestblockhash');
  await line(app).press('Tab');
  await expect(line(app)).toHaveValue('getbestblockhash');
  await line(app).press('Enter');
  const link = runs(app).first().getByRole('link');
  await expect(link).toHaveAttribute('href', /#\/explorer\/block\/[0-9a-f]{64}$/);
  const hash = (await link.innerText()).replaceAll('"', '');
  // The hash that was just seen is offered for a parameter that takes a block.
  await line(app).pressSequentially('getblock ');
  await expect(app.getByTestId('ghost')).toContainText(hash);
  await line(app).press('Tab');
  await expect(line(app)).toHaveValue(`getblock ${hash}`);
  await expect(app.getByRole('region', { name: 'Help' })).toContainText('getblock "blockhash"');
  await line(app).press('Enter');
  await expect(runs(app)).toHaveCount(2);
  const block = runs(app).filter({ hasText: 'merkleroot' });
  const list = block.getByRole('button', { name: /\d+ items?/ });
  await expect(list).toHaveAttribute('aria-expanded', 'true');
  await list.click();
  await expect(list).toHaveAttribute('aria-expanded', 'false');
  await line(app).fill('getblock nonsense');
  await expect(app.getByText('blockhash has to be the hash of a block')).toBeVisible();
  await expect(app.getByRole('button', { name: 'Run', exact: true })).toBeDisabled();
  await line(app).fill('getblockheader [');
  await expect(app.getByText('A quote, bracket or brace is not closed.')).toBeVisible();
  await line(app).fill('getblockhash 99999999');
  await line(app).press('Enter');
  await expect(runs(app).first().getByRole('alert')).toContainText('Block height out of range');
  await checkView(app, 'console-answers');
  await list.click();
  await block.getByRole('link').first().click();
  await expect(app).toHaveURL(/#\/(?:explorer|tx)/);
});

test('earlier lines are found by arrow keys and by search, also after a reload', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/gateway/console');
  for (const past of ['getblockhash 0', 'getblockcount', 'getblockhash 1']) {
    await line(app).fill(past);
    await line(app).press('Enter');
    await expect(runs(app).first().getByRole('button', { name: past, exact: true })).toBeVisible();
  }
  await app.reload();
  await line(app).focus();
  await line(app).press('ArrowUp');
  await expect(line(app)).toHaveValue('getblockhash 1');
  await line(app).press('ArrowUp');
  await line(app).press('ArrowUp');
  await expect(line(app)).toHaveValue('getblockhash 0');
  await line(app).press('ArrowDown');
  await expect(line(app)).toHaveValue('getblockcount');
  await line(app).press('Control+r');
  const search = app.getByRole('textbox', { name: 'Search in the history' });
  await search.fill('hash 0');
  await checkView(app, 'console-history');
  await search.press('Enter');
  await expect(line(app)).toHaveValue('getblockhash 0');
  await expect(line(app)).toBeFocused();
});

test('the form opens on demand and writes the line', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/gateway/console');
  await expect(app.getByRole('combobox', { name: 'Command' })).toHaveCount(0);
  await app.getByRole('button', { name: 'Form' }).click();
  await app.getByRole('combobox', { name: 'Command' }).fill('getblockhash');
  await app.getByRole('option', { name: 'getblockhash', exact: true }).click();
  await app.getByRole('textbox', { name: 'height' }).fill('0');
  await expect(line(app)).toHaveValue('getblockhash 0');
  await app.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(runs(app).first().getByRole('link')).toBeVisible();
});
