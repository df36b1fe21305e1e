import type { Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import { postRpc } from '../../support/rpc.ts';
import { goTo } from '../../support/studio.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const region = (app: Page) => app.getByRole('region', { name: 'Live calls' });
const grid = (app: Page) => app.getByRole('grid', { name: 'Live calls' });
const rows = (app: Page, name: string) => grid(app).getByRole('row').filter({ hasText: name });

test('the traffic hides calls of the page itself by default, and chips filter the others', { tag: '@long' }, async ({
  app,
  host,
}) => {
  await goTo(app, '/gateway/traffic');
  await host.client().node.call({ method: 'getmempoolinfo', params: [] });
  expect((await postRpc(host, '{"method":"getdifficulty","params":[]}')).status).toBe(200);
  expect((await postRpc(host, '{"method":"getblockhash","params":[99999999]}')).status).toBe(500);
  await expect(rows(app, 'getdifficulty').first()).toBeVisible();
  await expect(rows(app, 'getmempoolinfo')).toHaveCount(0);
  const errors = region(app).getByRole('button', { name: /^Errors/ });
  await errors.click();
  await expect(errors).toHaveAttribute('aria-pressed', 'true');
  await expect(rows(app, 'getdifficulty')).toHaveCount(0);
  await expect(rows(app, 'Block height out of range').first()).toBeVisible();
  await errors.click();
  const own = region(app).getByRole('button', { name: /^Planchet’s own/ });
  await own.click();
  await expect(rows(app, 'getmempoolinfo').first()).toBeVisible();
  const methods = region(app).getByRole('group', { name: 'Method' });
  await methods.getByRole('button', { name: /^getblockhash/ }).click();
  await expect(rows(app, 'getdifficulty')).toHaveCount(0);
  await region(app).getByRole('button', { name: 'Show all' }).click();
  await expect(rows(app, 'getdifficulty').first()).toBeVisible();
  await own.click();
});

test('a call in the traffic opens with its bodies, is sent again, and is copied for four tools', async ({
  app,
  host,
}) => {
  await goTo(app, '/gateway/traffic');
  // A call that no other test of this host makes.
  expect((await postRpc(host, '{"method":"getblockstatsbyheight","params":[1]}')).status).toBe(200);
  await rows(app, 'getblockstatsbyheight').first().getByRole('button', { name: 'getblockstatsbyheight' }).click();
  const detail = app.getByRole('dialog', { name: 'getblockstatsbyheight' });
  await expect(detail.getByRole('group', { name: 'Parameters' })).toContainText('1');
  const answer = detail.getByRole('group', { name: 'Answer', exact: true }).first();
  await expect(answer).toContainText(/[0-9a-f]{64}/);
  await detail.getByRole('button', { name: 'Send again' }).click();
  await expect(detail.getByRole('status')).toContainText('Answer now: 200');
  for (const [tool, found] of [
    ['curl', /^curl --user/],
    ['bitcoin-cli', /^bitcoin-cli .*getblockstatsbyheight '1'$/],
    ['JavaScript', /await fetch/],
    ['Python', /^import base64/],
  ] as const) {
    await detail.getByRole('button', { name: /Copy as|Copied/ }).click();
    await detail.getByRole('menuitem', { name: tool }).click();
    await expect.poll(() => app.evaluate(() => navigator.clipboard.readText())).toMatch(found);
  }
  await checkView(app, 'traffic-call');
  await app.keyboard.press('Escape');
  await expect(detail).toBeHidden();
});

test('the traffic does not show a secret that a program sent', { tag: '@long' }, async ({ app, host }) => {
  await goTo(app, '/gateway/traffic');
  expect((await postRpc(host, '{"method":"walletpassphrase","params":["correct horse",60]}')).status).toBe(404);
  await rows(app, 'walletpassphrase').first().getByRole('button', { name: 'walletpassphrase' }).click();
  const detail = app.getByRole('dialog', { name: 'walletpassphrase' });
  await expect(detail).toContainText('[hidden]');
  await expect(detail.getByRole('button', { name: 'Send again' })).toBeDisabled();
  await expect(app.locator('body')).not.toContainText('correct horse');
});

test('the traffic stores no bodies while the setting is off', { tag: '@long' }, async ({ app, host }) => {
  const client = host.client();
  await client.settings.set({ key: 'gatewayKeepBodies', value: false });
  await goTo(app, '/gateway/traffic');
  expect((await postRpc(host, '{"method":"getchaintips","params":[]}')).status).toBe(200);
  await rows(app, 'getchaintips').first().getByRole('button', { name: 'getchaintips' }).click();
  await expect(app.getByRole('dialog')).toContainText('Answers are not kept.');
  await client.settings.set({ key: 'gatewayKeepBodies', value: true });
});

test('a burst of calls is listed completely, and the page stays responsive', { tag: '@long' }, async ({
  app,
  host,
}) => {
  await goTo(app, '/gateway/traffic');
  // Shown once the page receives calls; of earlier ones it receives only the newest.
  await expect(app.getByRole('region', { name: 'Upstream nodes' })).toBeVisible();
  await app.evaluate(() => {
    const slow: number[] = [];
    (globalThis as unknown as { slow: number[] }).slow = slow;
    const observe = (type: string): void =>
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) slow.push(Math.round(entry.duration));
      }).observe({ type, durationThreshold: 16 } as PerformanceObserverInit);
    observe('event');
    observe('longtask');
  });
  const batch = (n: number): string =>
    JSON.stringify(Array.from({ length: 500 }, () => ({ method: 'getblockhash', params: [n % 3] })));
  const chip = region(app)
    .getByRole('group', { name: 'Method' })
    .getByRole('button', { name: /^getblockhash/ });
  // A list that opens during the burst starts with the newest calls.
  await postRpc(host, '{"method":"getblockhash","params":[0]}');
  await expect(chip).toBeVisible();
  // Together with the earlier calls, fewer than the host stores.
  for (let n = 0; n < 19; n++) expect((await postRpc(host, batch(n))).status).toBe(200);
  await expect
    .poll(async () => Number((await chip.innerText()).replace(/\D/g, '')), { timeout: 30_000 })
    .toBeGreaterThanOrEqual(9_500);
  await expect(region(app)).not.toContainText('too fast');
  await chip.click();
  await expect(chip).toHaveAttribute('aria-pressed', 'true');
  await app.getByRole('textbox', { name: 'Filter calls' }).pressSequentially('getblockhash');
  await grid(app).focus();
  for (const key of ['End', 'Home', 'PageDown', 'ArrowDown']) await app.keyboard.press(key);
  await grid(app).getByRole('button', { name: 'Method' }).click();
  await region(app).getByRole('button', { name: 'Show all' }).click();
  const slow = await app.evaluate(() => (globalThis as unknown as { slow: number[] }).slow);
  console.log(
    `10,000 calls: slowest interactions and tasks in ms: ${slow
      .toSorted((a, b) => b - a)
      .slice(0, 8)
      .join(' ')}`,
  );
});

test('a slow call without a node is listed until it is answered', { tag: '@long' }, async ({ app, host }) => {
  const client = host.client();
  const { tip } = await client.sandbox.status();
  await client.settings.set({ key: 'gatewaySource', value: 'public' });
  await client.sandbox.faults.set({ name: 'latency', area: 'rpc', value: 2_000, times: null });
  await goTo(app, '/gateway/traffic');
  const answer = postRpc(host, JSON.stringify({ method: 'getblock', params: [tip.hash, 2] }));
  const underWay = app.getByRole('list', { name: 'Being answered by public services' });
  await expect(underWay.getByRole('listitem').filter({ hasText: 'getblock' })).toContainText(
    /of \d+ transactions read/,
  );
  await checkView(app, 'traffic-under-way');
  expect((await answer).status).toBe(200);
  await client.sandbox.faults.clear({});
  await expect(underWay).toBeHidden();
  await expect(rows(app, 'getblock').first()).toContainText('proven');
});
