import type { Page } from '@playwright/test';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import { loadView } from '../../support/open.ts';
import { goTo } from '../../support/studio.ts';

const long = process.env.PLANCHET_LONG === '1';

/** Threshold below which a person does not notice a shift. */
const MOST = 0.02;

const views = [
  '/',
  '/projects',
  '/jobs',
  '/tokens',
  '/redeemable-tokens',
  '/wallet',
  '/wallet/coins',
  '/transactions',
  '/miners',
  '/gateway',
  '/gateway/traffic',
  '/writer',
  '/explorer',
  '/sandbox',
  '/settings',
];

interface Shifted extends Window {
  shifts: { value: number; sources: string[] }[];
}

/** Records every layout shift that is not caused by an input. */
async function observe(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const noted: Shifted['shifts'] = [];
    (window as unknown as Shifted).shifts = noted;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
        sources: { node: Node | null }[];
      })[]) {
        if (entry.hadRecentInput) continue;
        const sources = entry.sources.map(({ node }) => (node instanceof Element ? node.outerHTML.slice(0, 120) : ''));
        noted.push({ value: entry.value, sources });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

test('no view shifts when its content and its numbers arrive', async ({ app, host }) => {
  await observe(app);
  // Slow enough that every view is painted before its replies arrive.
  await app.route('**/api/**', async (route) => {
    if (!route.request().url().includes('events')) await new Promise((resolve) => setTimeout(resolve, 60));
    await route.continue();
  });
  const moved: Record<string, unknown> = {};
  await loadView(app, host.ready.console, '/');
  // Every fourth one except in the long run.
  for (const view of views.filter((_, place) => long || place % 4 === 0)) {
    // The long run reloads the page for each view, so that nothing is cached.
    if (long) await loadView(app, host.ready.console, view);
    else await goTo(app, view);
    await expect(app.getByRole('status', { name: 'Loading…' })).toHaveCount(0);
    // Rows below the visible area are loaded when they are scrolled to.
    await expect(app.getByRole('main').locator('.mantine-Skeleton-root:not([role="grid"] *)')).toHaveCount(0);
    const shifts = await app.evaluate(async () => {
      // The entries of a frame are reported after it.
      for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
      return (window as unknown as Shifted).shifts.splice(0);
    });
    const total = shifts.reduce((sum, { value }) => sum + value, 0);
    if (total >= MOST) moved[view] = { total, shifts: shifts.filter(({ value }) => value > 0.003) };
  }
  expect(await app.evaluate(() => PerformanceObserver.supportedEntryTypes)).toContain('layout-shift');
  expect(moved).toEqual({});
});
