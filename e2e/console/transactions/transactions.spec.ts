import { readFileSync } from 'node:fs';
import { P2PKH, PrivateKey, Transaction } from '@bsv/sdk';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { goTo } from '../../support/studio.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
const COIN = 20_000;

/** A coin of a key of its own, in a block. */
async function coin(host: RunningHost, key: PrivateKey): Promise<{ source: Transaction; output: number }> {
  const client = host.client();
  const { txid } = await client.sandbox.fund({ address: key.toAddress([0x6f]), satoshis: COIN });
  await client.sandbox.mine({ blocks: 1 });
  const source = Transaction.fromHex((await client.transactions.get({ txid })).hex);
  return { source, output: source.outputs.findIndex(({ satoshis }) => satoshis === COIN) };
}

/** A signed payment of the coin with this fee. */
async function spend(
  key: PrivateKey,
  { source, output }: { source: Transaction; output: number },
  fee: number,
): Promise<Transaction> {
  const tx = new Transaction();
  tx.addInput({
    sourceTransaction: source,
    sourceOutputIndex: output,
    unlockingScriptTemplate: new P2PKH().unlock(key),
  });
  tx.addOutput({ lockingScript: new P2PKH().lock(key.toAddress()), satoshis: COIN - fee });
  await tx.sign();
  return tx;
}

test('a payment is listed in the history and has a page of its own', async ({ app, host }) => {
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
  await row.getByRole('link', { name: 'Payment, open its page' }).click();
  await expect(app).toHaveURL(/#\/transactions\/[0-9a-f]{64}$/);
  await expect(app.getByRole('heading', { level: 1, name: 'Rent' })).toBeVisible();
  await expect(app.getByRole('region', { name: /^2 outputs/ }).getByText('Unspent')).toHaveCount(2);
  await expect(app.getByText('Default answered success')).toBeVisible();
  await app
    .getByRole('button', { name: /^Show the answer of Default/ })
    .first()
    .click();
  await expect(app.getByRole('region', { name: 'Answer of Default' })).toContainText('txid');
  await client.sandbox.mine({ blocks: 1 });
  await expect(app.getByText('Proven: this transaction is in the block')).toBeVisible();
  const raw = app.getByRole('region', { name: 'Raw forms' });
  await raw.getByText('BEEF', { exact: true }).click();
  const saved = app.waitForEvent('download');
  await raw.getByRole('button', { name: 'Save' }).click();
  const beef = readFileSync(await (await saved).path(), 'utf8');
  expect(Transaction.fromBEEF([...Buffer.from(beef, 'hex')]).merklePath).toBeDefined();
  await raw.getByText('JSON', { exact: true }).click();
  await expect(raw.getByText('confirmations')).toBeVisible();
});

test('a batch is sent to two miners of two kinds, and the failed transactions are explained, the others mined and proven', {
  tag: '@long',
}, async ({ app, host }) => {
  test.setTimeout(240_000);
  const client = host.client();
  const keys = [1, 2, 3, 4].map((n) => new PrivateKey(70_000 + n));
  const [a, b, c, d] = keys as [PrivateKey, PrivateKey, PrivateKey, PrivateKey];
  const coins = [];
  for (const key of keys) coins.push(await coin(host, key));
  const [coinA, coinB, coinC, coinD] = coins as [
    (typeof coins)[0],
    (typeof coins)[0],
    (typeof coins)[0],
    (typeof coins)[0],
  ];
  const won = await spend(c, coinC, 400);
  await client.sandbox.relay({ rawTx: won.toHex() });
  const good = [await spend(a, coinA, 200), await spend(b, coinB, 300)];
  const doubleSpend = await spend(c, coinC, 200);
  const lowFee = await spend(d, coinD, 1);

  await goTo(app, '/transactions/submit');
  await app
    .getByLabel('Transactions', { exact: true })
    .fill([...good, doubleSpend, lowFee].map((tx) => tx.toHex()).join('\n'));
  await expect(app.getByText(/^4 transactions, /)).toBeVisible();
  await app
    .getByRole('button', { name: /^Show / })
    .first()
    .click();
  await expect(app.getByRole('heading', { name: /^Transaction / })).toBeVisible();
  await app.getByRole('combobox', { name: 'Miners' }).click();
  await app.getByRole('option', { name: /\(mAPI\)$/ }).click();
  await app.getByRole('option', { name: 'Sandbox ARC (ARC)' }).click();
  await app.keyboard.press('Escape');
  await app.getByRole('combobox', { name: 'Send to' }).click();
  await app.getByRole('option', { name: 'All of them' }).click();
  await app.getByLabel('Label', { exact: true }).fill('Batch');
  await checkView(app, 'transactions-submit');
  await app.getByRole('button', { name: 'Submit 2 of 4 transactions' }).click();

  await expect(app.getByText('2 accepted')).toBeVisible();
  await expect(app.getByText('2 kept back')).toBeVisible();
  const problems = app.getByRole('region', { name: 'What failed' });
  await expect(problems.getByRole('listitem')).toHaveCount(2);
  await expect(problems).toContainText('It pays 1 sat;');
  await checkView(app, 'transactions-kept-back');
  await app.getByRole('button', { name: 'Send what was kept back all the same' }).click();
  await expect(app.getByText('2 refused')).toBeVisible();
  // The text of the miner, or that of the tracker if it has found the other transaction already.
  await expect(problems).toContainText(/Another transaction spent the same coin|double[- ]spen|conflict/i);
  // The tracker keeps the first of the two miners' texts.
  await expect(problems).toContainText(/Not enough fees|min fee not met/);
  await client.sandbox.mine({ blocks: 1 });
  const results = app.getByRole('grid', { name: 'Results of the submission' });
  await expect(results.getByText('Proven')).toHaveCount(2);
  await checkView(app, 'transactions-results');

  await goTo(app, '/transactions?origin=manual');
  await app.getByLabel('Txid or label').fill('Batch');
  const history = app.getByRole('grid', { name: 'Submitted transactions' });
  await expect(history.getByText('Proven')).toHaveCount(2);
  // Yesterday, if midnight has passed meanwhile.
  await expect(history.getByRole('rowheader', { name: /^(Today|Yesterday)$/ }).first()).toBeVisible();
  const provenRow = history.getByRole('row').filter({ hasText: 'Proven' }).first();
  await expect(provenRow.getByRole('img', { name: /^Default accepted: / })).toBeVisible();
  await expect(provenRow.getByRole('img', { name: /^Sandbox ARC accepted: / })).toBeVisible();
  const saved = app.waitForEvent('download');
  await app.getByRole('button', { name: 'Export' }).click();
  await app.getByRole('menuitem', { name: 'As JSON' }).click();
  const records = JSON.parse(readFileSync(await (await saved).path(), 'utf8')) as { txid: string; state: string }[];
  for (const tx of good)
    expect(records).toContainEqual(expect.objectContaining({ txid: tx.id('hex'), state: 'proven' }));
  await app.getByRole('combobox', { name: 'Filter by state' }).click();
  await app.getByRole('option', { name: /^Proven/ }).click();
  await expect(history.getByText('Failed')).toHaveCount(0);
  const table = app.waitForEvent('download');
  await app.getByRole('button', { name: 'Export' }).click();
  await app.getByRole('menuitem', { name: 'As CSV' }).click();
  const lines = readFileSync(await (await table).path(), 'utf8')
    .trim()
    .split('\n');
  expect(lines).toHaveLength(1 + good.length);
  for (const tx of good) expect(lines.filter((line) => line.includes(tx.id('hex')))).toHaveLength(1);

  await goTo(app, `/tx/${doubleSpend.id('hex')}`);
  await expect(app.getByRole('region', { name: 'Ours' }).getByText('Same coin')).toBeVisible();
  await checkView(app, 'transactions-double-spend');

  const [first] = good as [Transaction];
  await goTo(app, `/tx/${first.id('hex')}`);
  await expect(app.getByText('Proven: this transaction is in the block')).toBeVisible();
  await expect(app.getByText('Sandbox ARC', { exact: true }).first()).toBeVisible();
  await checkView(app, 'transactions-proven');
});
