import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { runCommand as planchet } from '../../../src/main/test-support/hosts/command-line.ts';
import { checkView } from '../../support/check-view.ts';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import { type RunningHost, startHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';
import { approveAndWait, buildMint, createProject, goTo } from '../../support/studio.ts';

/** A second installation on the network of the first: its node is the first one's, its keys and files are its own. */
async function startSecond({ ready }: RunningHost): Promise<RunningHost> {
  const [user, password] = readFileSync(ready.rpcCookieFile, 'utf8').trim().split(':') as [string, string];
  const url = new URL(ready.rpc);
  url.username = user;
  url.password = password;
  return startHost({ set: { bitcoinRpcUrl: url.href } });
}

test('a token sent to a second installation is shown there with its inscription, and its bundle is verified', {
  tag: '@long',
}, async ({ app, browser, host }) => {
  test.slow();
  const second = await startSecond(host);
  const context = await browser.newContext();
  try {
    const { address } = await second.client().wallet.status();
    await createProject(app, 'Gifts', ['copper-moon.png']);
    await expect(app.getByText('Copper moon').first()).toBeVisible();
    await buildMint(app);
    await approveAndWait(app);
    const [token] = (await host.client().tokens.list({ text: 'Gifts' })).tokens;
    const minted = token?.outpoint as string;
    await goTo(app, `/tokens/${minted}/send`);
    await app.getByLabel('Address of the receiver').fill(address as string);
    await app.getByRole('button', { name: 'Review' }).click();
    await app.getByRole('button', { name: /^Approve and send/ }).click();
    await expect(app.getByText(/^Sent, and in block/)).toBeVisible({ timeout: 20_000 });

    const other = await context.newPage();
    await openHost(other, second);
    await other.getByRole('link', { name: 'Tokens', exact: true }).click();
    const tile = other.getByRole('option', { name: /^Received token/ });
    await expect(tile.getByText('Copper moon')).toBeVisible();
    await expect(tile.getByRole('img')).toBeVisible();
    await tile.click();
    const sheet = other.getByRole('dialog', { name: 'Copper moon' });
    await expect(sheet.getByText('Somebody else made this token')).toBeVisible();
    const steps = sheet.getByRole('region', { name: 'Provenance' }).getByRole('listitem');
    await expect(steps).toHaveText([/^Inscribed/, /^Moved/, 'In your wallet now']);
    await checkView(other, 'token-received-elsewhere');

    const saving = other.waitForEvent('download');
    await sheet.getByRole('button', { name: 'Proof' }).click();
    const file = `${await (await saving).path()}.html`;
    await (await saving).saveAs(file);
    const [{ outpoint } = { outpoint: '' }] = (await second.client().tokens.list({ source: 'received' })).tokens;
    const { code, out } = await planchet(['--data-dir', second.ready.dataDir, 'verify', file, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      valid: true,
      headerKnown: true,
      tokens: [{ outpoint, origin: minted, contentType: 'image/png' }],
    });

    await context.setOffline(true);
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href);
    await expect(page.getByRole('status')).toContainText('Verified');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Copper moon');
    const art = page.getByRole('img');
    await expect.poll(() => art.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  } finally {
    await context.close();
    await second.stop();
  }
});
