import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import { type RunningHost, startHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';

/** Other installations know its ports, which change when a test restarts a service. */

const PASSPHRASE = 'a passphrase of the vault';
const NEXT_PASSPHRASE = 'another passphrase of the vault';
const PAYEE = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';

/** An installation without a wallet, on the test network; its node and its miner are those of the sandbox. */
async function newInstallation({ ready }: RunningHost): Promise<RunningHost> {
  const node = new URL(ready.rpc);
  const [username, password] = readFileSync(ready.rpcCookieFile, 'utf8').trim().split(':') as [string, string];
  node.username = username;
  node.password = password;
  const installation = await startHost({
    set: { network: 'test', bitcoinRpcUrl: node.href, mapiUrl: ready.mapi, bitcoinZmqUrl: ready.zmq },
    env: { PLANCHET_PASSPHRASE: PASSPHRASE },
  });
  await installation.client().settings.set({ key: 'apiKey', value: ready.sandboxApiKey });
  return installation;
}

async function openWallet(page: Page, host: RunningHost): Promise<void> {
  await openHost(page, host);
  await page.getByRole('link', { name: 'Wallet', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Make a wallet first' })).toBeVisible();
}

test('a wallet is created, backed up and restored; money is received and sent', { tag: '@long' }, async ({
  page,
  host,
}) => {
  test.setTimeout(240_000);
  const first = await newInstallation(host);
  const second = await newInstallation(host);
  try {
    await openWallet(page, first);
    await page.getByRole('button', { name: 'Create the wallet' }).click();
    await expect(page.getByTestId('total')).toHaveText('0');

    await page.getByRole('tab', { name: 'Backup and keys' }).click();
    const make = page.getByRole('region', { name: 'Make a backup file' });
    await make.getByLabel('Passphrase of the file').fill('correct horse battery');
    await make.getByLabel('Passphrase again').fill('correct horse battery');
    const saved = page.waitForEvent('download');
    await make.getByRole('button', { name: 'Make and download' }).click();
    const file = await (await saved).path();
    const check = page.getByRole('region', { name: 'Check a backup file' });
    const chooser = page.waitForEvent('filechooser');
    await check.getByRole('button', { name: 'Backup file' }).click();
    await (await chooser).setFiles(file);
    await check.getByLabel('Passphrase of the file').fill('correct horse battery');
    await check.getByRole('button', { name: 'Check the file' }).click();
    await expect(check.getByText('The file restores exactly this wallet.')).toBeVisible();
    const vault = page.getByRole('region', { name: 'Passphrase of the vault' });
    await vault.getByLabel('Present passphrase').fill(PASSPHRASE);
    await vault.getByLabel('New passphrase').fill(NEXT_PASSPHRASE);
    await vault.getByLabel('Passphrase again').fill(NEXT_PASSPHRASE);
    await vault.getByRole('button', { name: 'Change the passphrase' }).click();
    await expect(vault.getByText(/^The passphrase is set/)).toBeVisible();
    const shown = page.getByRole('region', { name: 'Words', exact: true });
    await shown.getByLabel('Passphrase of the vault').fill(PASSPHRASE);
    await shown.getByRole('button', { name: 'Show the words' }).click();
    await expect(shown.getByText('The passphrase does not open the vault.')).toBeVisible();
    await shown.getByLabel('Passphrase of the vault').fill(NEXT_PASSPHRASE);
    await shown.getByRole('button', { name: 'Show the words' }).click();
    const list = page.getByRole('list', { name: 'Words of the wallet' });
    await expect(list.getByRole('listitem')).toHaveCount(12);
    const { words } = await first.client().wallet.seed.reveal({ passphrase: NEXT_PASSPHRASE });

    const { address } = await first.client().wallet.status();
    await host.client().sandbox.fund({ address: address as string, satoshis: 250_000 });
    await expect(page.getByTestId('total')).toHaveText('250,000', { timeout: 60_000 });
    await page.getByRole('link', { name: 'Send' }).click();
    await page.getByLabel('Address 1').fill(PAYEE);
    await page.getByRole('textbox', { name: 'Amount 1' }).fill('100000');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: /^Approve and send 100,\d+ sat$/ }).click();
    await expect(page.getByText(/^Sent, and in block/)).toBeVisible({ timeout: 60_000 });
    await page.getByRole('link', { name: 'Back to the wallet' }).click();
    await expect(page.getByTestId('total')).toHaveText(/^149,\d{3}$/);
    const left = await page.getByTestId('total').innerText();

    await openWallet(page, second);
    await page.getByText('Restore from words').click();
    await page.getByLabel('Words', { exact: true }).fill(words);
    await page.getByRole('button', { name: 'Restore the wallet' }).click();
    await expect(page.getByTestId('total')).toHaveText(left, { timeout: 60_000 });
    expect((await second.client().wallet.status()).address).toBe(address);
  } finally {
    await first.stop();
    await second.stop();
  }
});
