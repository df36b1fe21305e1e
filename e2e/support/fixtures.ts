import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { type RunningHost, startHost } from './host.ts';
import { openHost } from './open.ts';

// biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's dependencies from this pattern.
async function useHost({}: object, use: (host: RunningHost) => Promise<void>): Promise<void> {
  const host = await startHost({ set: { 'sandbox.mineOnArrival': '500ms' } });
  await use(host);
  await host.stop();
}

/** A test of the browser application against a real host, which the files that run in one worker share. */
export const test = base.extend<{ app: Page }, { host: RunningHost }>({
  host: [useHost, { scope: 'worker' }],
  app: async ({ page, host }, use) => {
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
    page.on('console', (message) => {
      // The browser reports every refused request as an error; what the page makes of a refusal is what the tests look at.
      if (message.type() === 'error' && !/status of 4\d\d|ERR_INTERNET_DISCONNECTED/.test(message.text())) {
        problems.push(`console: ${message.text()}`);
      }
    });
    await openHost(page, host);
    await use(page);
    expect(problems).toEqual([]);
  },
});

/**
 * The same with a host for the calling file alone, where a test looks at what nobody has used yet. Each call makes another function of the fixture, and
 * Playwright gives files with different fixtures different workers.
 */
export const testWithOwnHost = () =>
  test.extend<object, { host: RunningHost }>({
    // biome-ignore lint/correctness/noEmptyPattern: as above
    host: [async ({}, use) => useHost({}, use), { scope: 'worker' }],
  });

export { expect };

/** What the colours of a scheme can break; everything else is the same in light and dark. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Fails on any accessibility violation axe can find on the page as it stands.
 * @param only `colours` where the same page was checked whole in the other colour scheme
 */
export async function expectAccessible(page: Page, only?: 'colours'): Promise<void> {
  // Only frames of other origins need the page that axe otherwise opens to put the findings of each frame together.
  const alone = page.frames().length === 1;
  const loaded = alone && (await page.evaluate(() => 'axe' in window));
  const { violations } = await new AxeBuilder({ page, ...(loaded && { axeSource: ';' }) })
    .setLegacyMode(alone)
    .options({ resultTypes: ['violations'], ...(only && { runOnly: COLOUR_RULES }) })
    .analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)).toEqual(
    [],
  );
}
