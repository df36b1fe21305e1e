import { checkView } from '../../support/check-view.ts';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import { startHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';
import { createProject, goTo } from '../../support/studio.ts';

const WAIT_MS = 30_000;

test('six steps lead to a mint on another network, without a node or an account', { tag: '@long' }, async ({
  host,
  browser,
}) => {
  test.slow();
  const sandbox = host.client();
  // The services of the sandbox replace the public ones and the miner.
  const here = await startHost({
    set: { network: 'private', chainData: 'auto', joinUrl: host.ready.sandbox as string },
    env: { PLANCHET_PASSPHRASE: 'correct horse battery staple' },
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const app = await context.newPage();
    await openHost(app, here);
    const row = (name: string) => app.locator(`[data-row="${name}"]`);
    const isState = (name: string, state: string) =>
      expect(row(name)).toHaveAttribute('data-state', state, { timeout: WAIT_MS });
    await goTo(app, '/networks/private');
    await expect(row('wallet')).toHaveAttribute('data-open', 'true');
    await checkView(app, 'live-wallet');
    await row('wallet').getByRole('button', { name: 'Create the wallet' }).click();
    await isState('wallet', 'done');
    await isState('sources', 'done');
    await row('sources').getByRole('button', { name: 'Show' }).click();
    await expect(
      row('sources')
        .getByText(/Two operators agree on block/)
        .first(),
    ).toBeVisible();
    await expect(row('sources').locator('[data-source][data-answers="true"]')).not.toHaveCount(0);
    await checkView(app, 'live-sources');

    await createProject(app, 'Moons', ['copper-moon.png']);
    await expect(app.getByText('Copper moon').first()).toBeVisible();
    await goTo(app, '/networks/private');
    await isState('miners', 'done');
    await row('miners').getByRole('button', { name: 'Show' }).click();
    await expect(row('miners').getByText('fits').first()).toBeVisible();
    await checkView(app, 'live-miners');

    await goTo(app, '/networks/private?step=money');
    const asked = row('money').getByTestId('satoshis');
    await expect(asked).toBeVisible({ timeout: WAIT_MS });
    const satoshis = Number((await asked.innerText()).replaceAll(/\D/g, ''));
    await expect(row('money').getByText('One bitcoin:')).toHaveCount(0);
    await row('money').getByLabel('Offer US dollars').click();
    await expect(row('money').getByText(`from ${new URL(host.ready.sandbox as string).host},`)).toBeVisible();
    await checkView(app, 'live-money');
    const { address } = await here.client().wallet.status();
    await sandbox.sandbox.fund({ address: address as string, satoshis });
    await expect(row('money').locator('[data-arrival]')).toBeVisible({ timeout: WAIT_MS });
    await isState('money', 'done');
    await checkView(app, 'live-arrived');

    await goTo(app, '/networks/private');
    await expect(row('mint')).toHaveAttribute('data-open', 'true', { timeout: WAIT_MS });
    await checkView(app, 'live-mint');
    await row('mint').getByRole('link', { name: 'Plan and mint' }).click();
    await expect(app.getByRole('heading', { level: 1 })).toBeVisible();
    // Going back leads to the step that was open.
    await app.goBack();
    await expect(row('mint')).toHaveAttribute('data-open', 'true', { timeout: WAIT_MS });
    await app.getByText('Let programs use the node endpoint').click();
    await expect(app.getByLabel('Sandbox of the other Planchet')).toBeVisible();
    await checkView(app, 'live-programs');
  } finally {
    await context.close();
    await here.stop();
  }
});
