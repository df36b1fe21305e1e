import { expect, test } from '../../support/fixtures.ts';
import { openHost, viewStands } from '../../support/open.ts';
import { goTo } from '../../support/studio.ts';

test('scripts are served compressed, and cached forever under the hash in their name', async ({ app }) => {
  const scripts = await app.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => /\/assets\/.*\.js$/.test(name))
      .map(({ name }) => name),
  );
  const answer = await app.request.get(scripts[0] as string, { headers: { 'accept-encoding': 'br' } });
  expect(answer.headers()).toMatchObject({
    'content-encoding': 'br',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  });
});

test('the frame of the window is painted while styles and code are loading', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await app.route(/\/assets\/.*\.(?:css|js)$/, async (route) => {
    await released;
    await route.continue();
  });
  await app.goto('about:blank');
  await app.goto(host.ready.console, { waitUntil: 'commit' });
  const paints = () => app.evaluate(() => performance.getEntriesByName('first-contentful-paint').length);
  await expect.poll(paints).toBe(1);
  expect(await app.evaluate(() => document.styleSheets[0]?.href ?? null)).toBeNull();
  await expect(app.locator('.boot')).toHaveCount(1);
  release();
  await viewStands(app);
});

test('a view reserves its layout while its code loads', { tag: '@long' }, async ({ page, host }) => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/assets\/miners-page-[^/]+\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await openHost(page, host);
  const main = page.getByRole('main');
  const rows = main.getByRole('status', { name: 'Loading…' });
  // The earlier view has placeholders as well.
  await expect(main.locator('.mantine-Skeleton-root')).toHaveCount(0);
  await page.getByRole('navigation').first().getByRole('link', { name: 'Miners' }).click();
  await expect(rows).toBeVisible();
  const waiting = (await main.locator('.mantine-Skeleton-root').first().boundingBox()) ?? { x: 0, y: 0 };
  release();
  const heading = main.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('Miners');
  const { x, y } = (await heading.boundingBox()) ?? { x: 0, y: 0 };
  expect(Math.max(Math.abs(waiting.x - x), Math.abs(waiting.y - y))).toBeLessThan(3);
});

test('a view whose code cannot be loaded says so and can be loaded again', async ({ page, host }) => {
  const code = /assets\/miners-page-[^/]+\.js$/;
  await page.route(code, (route) => route.abort());
  await openHost(page, host);
  await page.getByRole('navigation').first().getByRole('link', { name: 'Miners' }).click();
  await expect(page.getByRole('alert')).toContainText('This view could not be loaded');
  await page.unroute(code);
  await page.getByRole('button', { name: 'Load the page again' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Miners');
});

/** Limit for all scripts of a first visit, including those preloaded while idle. */
const MAX_SCRIPT_BYTES = 600_000;

test('a first visit loads few scripts, including those of all pages in the navigation', async ({ browser, host }) => {
  // Without the switch that keeps pages of other tests from preloading.
  const page = await (await browser.newContext()).newPage();
  const last = page.waitForResponse(/assets\/help-page-[^/]+\.js$/, { timeout: 60_000 });
  await openHost(page, host);
  await (await last).finished();
  const bytes = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => /\/assets\/.*\.js$/.test(name))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );
  expect(bytes).toBeGreaterThan(250_000);
  expect(bytes).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  await page.route(/assets\/.+\.js$/, (route) => route.abort());
  for (const view of ['/projects', '/jobs', '/tokens', '/wallet', '/transactions', '/explorer', '/settings']) {
    await goTo(page, view);
    await expect(page.getByRole('main').getByRole('status', { name: 'Loading…' })).toHaveCount(0);
    await expect(page.getByText('This view could not be loaded'), view).toHaveCount(0);
  }
  await page.context().close();
});
