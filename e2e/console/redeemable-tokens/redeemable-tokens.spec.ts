import type { Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import { runCommand } from '../../support/studio.ts';

async function approve(app: Page): Promise<void> {
  await app.getByRole('button', { name: 'Approve and sign' }).click();
  await expect(app.getByText(/Mined in block/)).toBeVisible();
  await app.getByRole('link', { name: 'Back to redeemable tokens' }).click();
  await expect(app.getByRole('heading', { name: 'Redeemable tokens' })).toBeVisible();
}

test('a token is designed, issued, split, merged and redeemed by clicking', { tag: '@long' }, async ({ app }) => {
  test.setTimeout(300_000);
  await app.getByRole('link', { name: 'Redeemable tokens' }).click();
  await app.getByRole('link', { name: 'Design a token' }).click();
  const symbol = app.getByRole('textbox', { name: 'Symbol' });
  const json = app.getByRole('textbox', { name: 'Schema as JSON' });
  await symbol.fill('not a symbol');
  await expect(app.getByText('Only letters, digits, “_” and “-”: 1 to 128 of them')).toBeVisible();
  await expect(app.getByRole('button', { name: 'Build the contract and review' })).toBeDisabled();
  await symbol.fill('BREAD');
  await expect(json).toHaveValue(/"symbol": "BREAD"/);
  await json.fill('{"symbol":"BREAD","name":"Bread voucher","totalSupply":100,"satsPerToken":10,"shop":"Corner"}');
  await expect(app.getByRole('textbox', { name: 'Name' })).toHaveValue('Bread voucher');
  await app.getByRole('button', { name: 'Build the contract and review' }).click();
  await expect(app.getByText(/You set 1,000 sat aside as the supply of BREAD/)).toBeVisible();
  await checkView(app, 'token-review');
  await approve(app);

  await app.getByRole('button', { name: 'Issue BREAD' }).click();
  await app.getByRole('textbox', { name: 'Amount 1' }).fill('700');
  await app.getByRole('button', { name: 'Add an owner' }).click();
  await expect(app.getByText('0 sat of 1,000 sat left to distribute')).toBeVisible();
  await app.getByRole('button', { name: 'Build and review' }).click();
  await approve(app);

  // Both are from a transaction with three outputs, so one has to move before they can be merged.
  for (const amount of [700, 300]) {
    await app.getByRole('button', { name: `Transfer BREAD ${amount}` }).click();
    await app.getByRole('button', { name: 'Build and review' }).click();
    await expect(app.getByText(`You transfer ${amount} sat of BREAD to your wallet.`)).toBeVisible();
    await approve(app);
  }
  await app.getByRole('button', { name: 'Merge BREAD 700' }).click();
  await app.getByRole('button', { name: 'Build and review' }).click();
  await approve(app);
  await app.getByRole('button', { name: 'Redeem BREAD 1000' }).click();
  await app.getByLabel('Amount to redeem').fill('400');
  await app.getByRole('button', { name: 'Build and review' }).click();
  await expect(app.getByText(/You redeem 400 sat of BREAD; 600 sat stay tokens/)).toBeVisible();
  await approve(app);
  await app.getByRole('button', { name: 'Redeem BREAD 600' }).click();
  await app.getByRole('button', { name: 'Build and review' }).click();
  await approve(app);
  await expect(app.getByRole('grid', { name: 'BREAD', exact: true })).toHaveCount(0);

  await app
    .getByRole('row', { name: /Open Redeem of BREAD/ })
    .getByRole('link')
    .last()
    .click();
  await expect(app.getByRole('heading', { name: 'History of BREAD' })).toBeVisible();
  await expect(app.getByRole('img', { name: /7 transactions from contract to redemption/ })).toBeVisible();
});

test('a refused transaction shows its reason at once and can be built again, and the palette lists the possible actions', {
  tag: '@long',
}, async ({ app, host }) => {
  test.setTimeout(120_000);
  await expect(app.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await runCommand(app, 'Design a token');
  await app.getByRole('textbox', { name: 'Symbol' }).fill('MILK');
  await app.getByRole('button', { name: 'Build the contract and review' }).click();
  await app.getByRole('button', { name: 'Approve and sign' }).click();
  await expect(app.getByText(/Mined in block/)).toBeVisible();
  const shown = await app.getByRole('link', { name: 'Open the transaction' }).getAttribute('href');
  const answer = await app.request.post(`${host.ready.sandbox}/admin/double-spend`, {
    headers: { authorization: `Bearer ${host.ready.sandboxApiKey}` },
    data: { txid: /[0-9a-f]{64}/.exec(shown ?? '')?.[0] },
  });
  expect(answer.ok()).toBe(true);

  await expect(app.getByRole('button', { name: 'Send it again' })).toBeVisible();
  await expect(app.getByText(/The miner refused the transaction/)).toBeVisible();
  await checkView(app, 'token-refused');
  await app.getByRole('button', { name: 'Send it again' }).click();
  await expect(app.getByText(/The miner refused the transaction/)).toBeVisible();
  await app.getByRole('button', { name: 'Build a new one' }).click();
  await approve(app);

  await runCommand(app, 'Issue MILK');
  await expect(app.getByRole('dialog', { name: 'Issue MILK' })).toBeVisible();
});
