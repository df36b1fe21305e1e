import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { walletFollows } from '../../src/main/test-support/hosts/wallet-follows.ts';
import { type RunningHost, startHost } from './host.ts';
import { openHost } from './open.ts';

/**
 * The hosts of one worker: the one shared by its files, and the one of the current file, if that requested its own. All files have the same
 * fixtures, so that Playwright reuses its workers and their browsers.
 */
class Hosts {
  private common: Promise<RunningHost> | undefined;
  private single: { readonly file: string; readonly host: Promise<RunningHost> } | undefined;

  shared(): Promise<RunningHost> {
    this.common ??= start();
    return this.common;
  }

  /** The host of one test file. The host of the earlier file is stopped. */
  async own(file: string): Promise<RunningHost> {
    if (this.single?.file !== file) {
      const before = this.single;
      this.single = { file, host: start() };
      await (await before?.host)?.stop();
    }
    return this.single.host;
  }

  async stop(): Promise<void> {
    for (const host of [this.common, this.single?.host]) await (await host)?.stop();
  }
}

async function start(): Promise<RunningHost> {
  const host = await startHost({ filled: true, set: { 'sandbox.mineOnArrival': '500ms' } });
  await walletFollows(host.client());
  return host;
}

/** A test that starts what it needs itself. */
export const testWithoutHost = base.extend<object, { hosts: Hosts }>({
  hosts: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's dependencies from this pattern.
    async ({}, use) => {
      const hosts = new Hosts();
      await use(hosts);
      await hosts.stop();
    },
    { scope: 'worker' },
  ],
  context: async ({ context }, use) => {
    // An idle page preloads the code of all views, which takes as long as the page itself. Most tests open one view or two.
    await context.addInitScript(() => {
      window.requestIdleCallback = () => 0;
    });
    await use(context);
  },
});

/** A test of the browser application with a real host, which the files of one worker share. */
export const test = testWithoutHost.extend<{ app: Page; host: RunningHost }>({
  host: async ({ hosts }, use) => use(await hosts.shared()),
  app: async ({ page, host }, use) => {
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
    page.on('console', (message) => {
      // The browser reports every refused request as an error. The tests check how the page handles a refusal.
      if (message.type() === 'error' && !/status of 4\d\d|ERR_INTERNET_DISCONNECTED/.test(message.text())) {
        problems.push(`console: ${message.text()}`);
      }
    });
    await openHost(page, host);
    await use(page);
    expect(problems).toEqual([]);
  },
});

/** The same with a host for the calling file only, for tests of an unused installation. */
export const testWithOwnHost = test.extend({
  host: async ({ hosts }, use, { file }) => use(await hosts.own(file)),
});

export { expect };

/** The rules that a colour scheme can break; all others are the same in light and dark. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Fails on any accessibility violation that axe finds on the current page. If colours are changing, or something is opening or closing, it
 * checks again.
 * @param only `colours` if the same page was checked completely in the other colour scheme
 * @param within selector of the part to check, if the rest was checked already; otherwise the complete page
 */
export async function expectAccessible(page: Page, only?: 'colours', within?: string): Promise<void> {
  await expect.poll(() => violationsOf(page, only, within), 'accessibility').toEqual([]);
}

async function violationsOf(page: Page, only?: 'colours', within?: string): Promise<string[]> {
  await animationsEnd(page);
  // Axe would open a page to combine the findings of frames, which only frames of other origins need.
  const alone = page.frames().length === 1;
  const loaded = alone && (await page.evaluate(() => 'axe' in window));
  const axe = new AxeBuilder({ page, ...(loaded && { axeSource: ';' }) })
    .setLegacyMode(alone)
    .options({ resultTypes: ['violations'], ...(only && { runOnly: COLOUR_RULES }) });
  const { violations } = await (within === undefined ? axe : axe.include(within)).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

/** Waits for the end of animations, such as that of a dialog: while it fades in, its text has too little contrast. */
async function animationsEnd(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}
