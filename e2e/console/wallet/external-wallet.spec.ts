import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrivateKey, ProtoWallet } from '@bsv/sdk';
import { ExternalWalletServer } from '../../../src/main/test-support/external-wallet.ts';
import { checkView } from '../../support/check-view.ts';
import { expect, testWithoutHost as test } from '../../support/fixtures.ts';
import { startHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';

const texts = {
  'en-GB': {
    name: 'other-wallet',
    notices: 'Notices',
    told: 'Another wallet than before answers',
    compare: 'Compare the keys…',
    use: 'Use this wallet…',
    confirm: 'Use it from now on',
  },
  'de-DE': {
    name: 'other-wallet-german',
    notices: 'Hinweise',
    told: 'antwortet eine andere Wallet als bisher',
    compare: 'Schlüssel vergleichen …',
    use: 'Diese Wallet benutzen …',
    confirm: 'Ab jetzt benutzen',
  },
} as const;

for (const [locale, text] of Object.entries(texts)) {
  test.describe(locale, () => {
    test.use({ locale });

    test('the dashboard reports that another wallet answers, which is used after its key was compared', {
      tag: '@long',
    }, async ({ page }) => {
      const other = new PrivateKey(777);
      const wallet = await ExternalWalletServer.open(new PrivateKey(424_242));
      const dataDir = mkdtempSync(join(tmpdir(), 'planchet-other-wallet-'));
      const open = () => startHost({ dataDir, set: { walletSigner: 'external', walletUrl: wallet.url } });
      let host = await open();
      try {
        await expect.poll(async () => (await host.client().wallet.status()).state).toBe('ready');
        await host.stop();
        wallet.answering = new ProtoWallet(other);
        host = await open();
        await openHost(page, host);
        const notices = page.getByRole('region', { name: text.notices });
        await expect(notices).toContainText(text.told);
        await checkView(page, text.name);
        await notices.getByRole('link', { name: text.compare }).click();
        await expect(page.getByText(other.toPublicKey().toString().slice(0, 6)).first()).toBeVisible();
        await checkView(page, `${text.name}-keys`);
        await page.getByRole('button', { name: text.use }).first().click();
        await page.getByRole('dialog').getByRole('button', { name: text.confirm }).click();
        await expect.poll(async () => (await host.client().wallet.status()).state).toBe('ready');
        await page.goto('about:blank');
        await openHost(page, host);
        await expect(page.getByText(text.told)).toHaveCount(0);
      } finally {
        await host.stop();
        await wallet.close();
        rmSync(dataDir, { recursive: true, force: true });
      }
    });
  });
}
