import type { Page } from '@playwright/test';
import { testWithoutHost } from './fixtures.ts';
import { type RunningHost, startHost } from './host.ts';
import { openHost } from './open.ts';

/** A host on which nothing was created and the question of the first start is open, and a page that counts its clicks. */
export const testOnFreshProfile = testWithoutHost.extend<{ host: RunningHost; app: Page }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's dependencies from this pattern.
  host: async ({}, use) => {
    // In the long run its very first start.
    const host = await startHost({ filled: process.env.PLANCHET_LONG !== '1', set: { welcomed: undefined } });
    await use(host);
    await host.stop();
  },
  app: async ({ page, host }, use) => {
    await page.addInitScript(() => {
      const counter = window as unknown as { clicks: number };
      counter.clicks = 0;
      document.addEventListener('pointerdown', () => (counter.clicks += 1), true);
    });
    await openHost(page, host);
    await use(page);
  },
});

export const clicksOf = (app: Page): Promise<number> =>
  app.evaluate(() => (window as unknown as { clicks: number }).clicks);
