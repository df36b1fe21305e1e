import { PrivateKey } from '@bsv/sdk';
import { ExternalWalletServer } from '../../../src/main/test-support/external-wallet.ts';
import { PayingApp } from '../../../src/main/test-support/paying-app.ts';
import { checkView } from '../../support/check-view.ts';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import { startHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';
import { createProject, goTo } from '../../support/studio.ts';

const WAIT_MS = 30_000;

test('a wallet app on this machine pays with one button', async ({ host, browser }) => {
  test.slow();
  const sandbox = host.client();
  await sandbox.settings.set({ key: 'gatewayBroadcast', value: 'on' });
  const key = new PrivateKey(31_337);
  const wallet = await ExternalWalletServer.open(key);
  const app = new PayingApp(key, sandbox);
  wallet.paying = app;
  await app.fund(5_000_000);
  const here = await startHost({
    set: { network: 'private', chainData: 'auto', joinUrl: host.ready.sandbox as string, walletUrl: wallet.url },
    env: { PLANCHET_PASSPHRASE: 'correct horse battery staple' },
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await openHost(page, here);
    await here.client().wallet.create({ words: 12 });
    await expect.poll(async () => (await here.client().headers.status()).isAgreed, { timeout: WAIT_MS }).toBe(true);

    await goTo(page, '/wallet/receive');
    const button = page.getByRole('button', { name: 'Pay from my wallet app' });
    await expect(button).toBeDisabled();
    await page.getByLabel('Amount', { exact: true }).fill('60000');
    await checkView(page, 'pay-from-app');
    const asked = Promise.withResolvers<() => void>();
    app.agree = () => new Promise<void>(asked.resolve);
    await button.click();
    await expect(page.getByText('Agree or refuse there.')).toBeVisible();
    await checkView(page, 'pay-from-app-waiting');
    app.refusal = [400, { isError: true, code: 1, message: 'The owner said no.' }];
    // The page waits before the app is asked.
    (await asked.promise)();
    await expect(page.getByRole('alert')).toContainText('Your wallet app did not pay: The owner said no.');
    await checkView(page, 'pay-from-app-refused');

    app.refusal = undefined;
    app.agree = async () => undefined;
    await button.click();
    await expect(page.getByText('Your wallet app paid 60,000 sat.')).toBeVisible({ timeout: WAIT_MS });
    await checkView(page, 'pay-from-app-paid');
    expect((await here.client().wallet.balance()).total).toBe(60_000);

    await createProject(page, 'Moons', ['copper-moon.png']);
    await expect(page.getByText('Copper moon').first()).toBeVisible();
    await sandbox.sandbox.mine({ blocks: 1 });
    await goTo(page, '/networks/private?step=money');
    const money = page.locator('[data-row="money"]');
    await expect(money.locator('[data-arrival]').first()).toBeVisible({ timeout: WAIT_MS });
    await checkView(page, 'pay-from-app-live');
  } finally {
    await context.close();
    await here.stop();
    await wallet.close();
  }
});
