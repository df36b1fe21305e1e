import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { OwnCoins } from '../../../src/main/test-support/hosts/own-coins.ts';
import { expect } from '../../support/fixtures.ts';
import { clicksOf, testOnFreshProfile as test } from '../../support/fresh-profile.ts';

/** Number of clicks from the first page to a network with a fault turned on and off, and of those up to the first call and up to the reason of a failed one. */
const CLICKS = { firstCall: 2, reason: 6, rival: 10, all: 13 };

test(`a new engineer: a first call, why one failed, a batch with a double spend, a rehearsed fault, in ${CLICKS.all} clicks`, {
  tag: '@long',
}, async ({ app, host, context }) => {
  test.setTimeout(120_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const main = app.getByRole('main');
  const menu = (name: string) => app.getByRole('link', { name, exact: true });
  const began = performance.now();
  const tell = async (what: string, clicks: number): Promise<void> => {
    console.log(`${what}: ${clicks} clicks, ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    expect(await clicksOf(app)).toBe(clicks);
  };

  await app.getByRole('link', { name: /^Develop/ }).click();
  await app.getByRole('button', { name: 'Copy the command' }).click();
  const command = await app.evaluate(() => navigator.clipboard.readText());
  /** As in the engineer's own shell. */
  const call = async (
    method: string,
    params = '[]',
  ): Promise<{ result: unknown; error: { message: string } | null }> => {
    const changed = command.replace('getblockcount', method).replace('"params":[]', `"params":${params}`);
    return JSON.parse((await promisify(execFile)('sh', ['-c', `${changed} --silent`])).stdout);
  };
  expect(await call('getblockcount')).toMatchObject({ result: expect.any(Number), error: null });
  await tell('first call answered', CLICKS.firstCall);

  await call('getrawtransaction', '["00"]');
  await menu('Gateway').click();
  await app.getByRole('tab', { name: 'Traffic' }).click();
  await main.getByRole('button', { name: /^Errors \d/ }).click();
  await main.getByRole('grid').getByRole('button', { name: 'getrawtransaction' }).click();
  await expect(app.getByRole('dialog').getByText('parameter 1 must be of length 64 (not 2)').first()).toBeVisible();
  await tell('why a call failed', CLICKS.reason);
  await app.keyboard.press('Escape');

  const own = new OwnCoins();
  const coin = await own.funded(host.client(), 10_000);
  const [kept, rival] = [own.spend([coin], [9_800]), own.spend([coin], [9_700])];
  await menu('Transactions').click();
  await main
    .getByRole('link', { name: /^Submit/ })
    .first()
    .click();
  await main.getByRole('textbox', { name: 'Transactions' }).fill(`${kept.hex}\n${rival.hex}`);
  await main.getByRole('button', { name: 'Submit 2 transactions' }).click();
  await expect(app.getByRole('status', { name: 'Results' })).toContainText('1 accepted');
  await expect(app.getByRole('status', { name: 'Results' })).toContainText('1 refused');
  await main
    .getByRole('grid')
    .getByRole('row')
    .filter({ hasText: 'Spent elsewhere' })
    .getByRole('link')
    .first()
    .click();
  await expect(main.getByText(rival.txid)).toBeVisible();
  await expect(main.getByRole('link', { name: new RegExp(kept.txid.slice(0, 4)) }).first()).toBeVisible();
  await tell('who spent the coin', CLICKS.rival);

  await menu('Sandbox').click();
  // The visible switch covers its field.
  await main.getByRole('switch', { name: 'Turn HTTP errors on' }).click({ force: true });
  const banner = app.getByRole('button', { name: 'Turn off', exact: true });
  await expect(banner).toBeVisible();
  const { error } = await call('getdifficulty');
  expect(error?.message).toContain('The sandbox rehearses a failure (fault http-error). It is asked again by itself');
  await banner.click();
  await expect(banner).toBeHidden();
  await expect.poll(async () => (await call('getdifficulty')).error).toBeNull();
  await tell('a fault rehearsed and ended', CLICKS.all);
});
