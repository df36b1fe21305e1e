import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { P2PKH, PrivateKey, Transaction } from '@bsv/sdk';
import type { Locator, Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { postRpc } from '../../support/rpc.ts';
import { goTo } from '../../support/studio.ts';

const faults = [
  'Slow answers',
  'HTTP errors',
  'Dropped connections',
  'Callbacks lost',
  'Mempool full',
  'Expired fee quotes',
  'Wrong signature',
  'Tampered transaction answer',
];

const wholeNetwork = (app: Page): Locator => app.getByRole('region', { name: 'The whole network' });

async function heightOf(app: Page): Promise<number> {
  return Number((await app.getByText(/^Height [\d,]+$/).innerText()).replace(/\D/g, ''));
}

async function confirm(app: Page, button: string): Promise<void> {
  await app.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
  await expect(app.getByRole('dialog')).toHaveCount(0);
}

/** Calls the gateway as a program would. */
async function rawTransaction(host: RunningHost, txid: string): Promise<unknown> {
  const answer = await postRpc(host, JSON.stringify({ method: 'getrawtransaction', params: [txid], id: 1 }));
  return ((await answer.json()) as { result: unknown }).result;
}

/** A payment of a coin from the faucet and one that spends it, both unsent. */
async function fundedPair(host: RunningHost): Promise<[Transaction, Transaction]> {
  const key = PrivateKey.fromRandom();
  const script = new P2PKH().lock(key.toPublicKey().toHash());
  const { txid } = await host.client().sandbox.fund({ address: key.toAddress('testnet'), satoshis: 10_000 });
  const pay = async (from: Transaction): Promise<Transaction> => {
    const vout = from.outputs.findIndex(({ lockingScript }) => lockingScript.toHex() === script.toHex());
    const tx = new Transaction();
    const unlockingScriptTemplate = new P2PKH().unlock(key);
    tx.addInput({ sourceTransaction: from, sourceOutputIndex: vout, unlockingScriptTemplate });
    const satoshis = (from.outputs[vout]?.satoshis ?? 0) - 1_000;
    tx.addOutput({ lockingScript: script, satoshis });
    await tx.sign();
    return tx;
  };
  const parent = await pay(Transaction.fromHex((await rawTransaction(host, txid)) as string));
  return [parent, await pay(parent)];
}

test('a transaction is relayed to the node as by a peer', { tag: '@long' }, async ({ app, host }) => {
  const [parent, child] = await fundedPair(host);
  await goTo(app, '/sandbox');
  await app.getByRole('button', { name: 'More: Submit as a peer' }).click();
  const field = app.getByRole('textbox', { name: 'Raw transaction from a peer' });
  const submit = app.getByRole('button', { name: 'Submit', exact: true });
  await field.fill('abc');
  await expect(app.getByText('must be a transaction in hexadecimal')).toBeVisible();
  await expect(submit).toBeDisabled();
  await field.fill('00');
  await submit.click();
  await expect(app.getByText('The node refused it: 1 tx-malformed')).toBeVisible();
  await field.fill(child.toHex());
  await submit.click();
  const outcome = app.getByRole('status').filter({ has: app.getByText('missing-inputs') });
  await expect(outcome).toContainText('Its parents are missing; it waits for them (16 missing-inputs):');
  await checkView(app, 'sandbox-relay');
  await field.fill(parent.toHex());
  await submit.click();
  await expect(app.getByText('The node took it:')).toBeVisible();
  // The child was accepted together with its parent.
  expect(await rawTransaction(host, child.id('hex'))).toBe(child.toHex());
});

test('an API key is created and the quota is set on the page of the sandbox', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const { settings } = host.client();
  try {
    await goTo(app, '/sandbox');
    await app.getByRole('button', { name: 'Key for a new user' }).click();
    const apiKey = await app.getByText(/^sandboxnet_[a-z]{26}$/).innerText();
    await app.getByRole('textbox', { name: 'Tokens a month' }).fill('many');
    await expect(app.getByText('must be 0 to 1,000,000,000')).toBeVisible();
    await app.getByRole('textbox', { name: 'Tokens a month' }).fill('123');
    await app.getByRole('button', { name: 'Set: Tokens a month' }).click();
    // Other tests mint with the wallet's key.
    await expect(app.getByText(/^\d+ of 123 tokens used$/)).toBeVisible();
    const answer = await fetch(`${host.ready.baseUrl}/quota`, { headers: { apikey: apiKey } });
    expect(await answer.json()).toMatchObject({ success: true, data: { apiKey, monthlyMintLimit: 123, totalUsed: 0 } });
  } finally {
    // The tests that share this host mint more.
    await settings.reset({ keys: ['sandbox.monthlyMintLimit'] });
  }
});

test('the network is exported to a file, replaced by a new one, and imported again', { tag: '@long' }, async ({
  app,
  host,
}) => {
  await goTo(app, '/sandbox');
  await expect(wholeNetwork(app)).toBeVisible();
  const height = await heightOf(app);
  const file = join(host.ready.dataDir, 'network.planchet');
  await app.getByRole('textbox', { name: 'Full path of the file' }).fill(file);
  await app.getByRole('button', { name: 'Export' }).click();
  await expect(app.getByText(/^Written: /)).toBeVisible();
  expect(existsSync(file)).toBe(true);
  await app.getByRole('textbox', { name: 'Seed (optional)' }).fill('stage');
  await app.getByRole('button', { name: 'Reset the network' }).click();
  await expect(app.getByRole('dialog')).toContainText('are lost');
  await confirm(app, 'Reset the network');
  await expect(app.getByText('A new network is running.')).toBeVisible();
  await expect(wholeNetwork(app)).toContainText('stage');
  await app.getByRole('button', { name: 'Import' }).click();
  await confirm(app, 'Import');
  await expect(app.getByText('The network from the file is now running.')).toBeVisible();
  await expect(wholeNetwork(app)).toContainText('random');
  await expect.poll(() => heightOf(app)).toBeGreaterThanOrEqual(height);
  await app.getByRole('textbox', { name: 'Full path of the file' }).fill('/no/such/file');
  await app.getByRole('button', { name: 'Import' }).click();
  await confirm(app, 'Import');
  await expect(app.getByRole('main').getByRole('alert')).toContainText('There is no file /no/such/file.');
});

test('a fault happens as often as requested', { tag: '@long' }, async ({ app, host }) => {
  await goTo(app, '/sandbox');
  const region = app.getByRole('region', { name: 'Faults' });
  await region.getByRole('button', { name: 'Options: HTTP errors' }).click();
  await region.getByRole('textbox', { name: 'How often' }).fill('200');
  await region.getByRole('switch', { name: 'Turn HTTP errors on' }).press('Space');
  await expect(region.locator('[data-fault="http-error"]')).toContainText(/503 · (\d+ more times|once more)/);
  // the application's own requests count too
  const call = async (): Promise<number> => (await fetch(`${host.ready.mapi}/mapi/feeQuote`)).status;
  await expect.poll(call, { intervals: [5] }).not.toBe(503);
  await expect(region.getByRole('switch', { name: 'Turn HTTP errors on' })).not.toBeChecked();
});

test('every active fault is listed', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/sandbox');
  const region = app.getByRole('region', { name: 'Faults' });
  for (const name of faults) {
    await region.getByRole('switch', { name: `Turn ${name} on` }).press('Space');
    await expect(region.getByRole('switch', { name: `Turn ${name} off` })).toBeChecked();
  }
  const banner = app.getByRole('region', { name: 'Faults of the sandbox' });
  await expect(banner).toContainText('8 faults are on');
  await banner.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(banner.getByRole('listitem')).toHaveCount(8);
  await banner.getByRole('button', { name: 'Turn all off' }).click();
  // They are turned off one by one; the next test starts without any.
  await expect(banner).toHaveCount(0);
});

test('an active fault is shown and affects clients', { tag: '@long' }, async ({ app, host }) => {
  await goTo(app, '/sandbox');
  const line = app.locator('[data-fault="http-error"]');
  await line.getByRole('switch').press('Space');
  await expect(app.getByText('1 fault is on')).toBeVisible();
  const answer = await fetch(`${host.ready.mapi}/mapi/feeQuote`);
  expect(answer.status).toBe(503);
  await app.getByRole('button', { name: 'Turn all off' }).click();
  await expect(app.getByText('1 fault is on')).toHaveCount(0);
  await expect(line.getByRole('switch')).not.toBeChecked();
});
