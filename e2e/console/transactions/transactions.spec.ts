import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';

test('a payment stands in the history and has a page of its own', async ({ app, host }) => {
  const client = host.client();
  const { id, review } = await client.wallet.send.prepare({
    request: { to: [{ address: FOREIGN, satoshis: 12_000 }] },
    idempotencyKey: 'submitted-payment',
  });
  await app.getByRole('link', { name: 'Transactions', exact: true }).click();
  await client.wallet.send.approve({ id, digest: review.digest });
  const row = app.getByRole('row').filter({ hasText: 'Payment' }).first();
  await expect(row).toBeVisible();
  await row.getByRole('button', { name: 'Add a label' }).click();
  await app.getByRole('textbox', { name: 'Label', exact: true }).fill('Rent');
  await app.keyboard.press('Enter');
  await expect(row.getByText('Rent')).toBeVisible();
  await checkView(app, 'transactions-history');
  await row.getByRole('link', { name: 'Payment, open its page' }).click();
  await expect(app.getByRole('heading', { level: 1, name: 'Rent' })).toBeVisible();
  await expect(app.getByText('Default answered success')).toBeVisible();
  await app
    .getByRole('button', { name: /^Show the answer of Default/ })
    .first()
    .click();
  await expect(app.getByRole('region', { name: 'Answer of Default' })).toContainText('txid');
  await checkView(app, 'transactions-page');
});
