import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { checkView, cutButtons, expectAccessibleIn, schemesOf } from '../../support/check-view.ts';
import { expect, testWithOwnHost } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { type Content, fillHost } from '../../support/scenes/content.ts';
import { dialogs } from '../../support/scenes/dialogs.ts';
import { viewsOf } from '../../support/scenes/views.ts';
import { goTo } from '../../support/studio.ts';

const contents = new WeakMap<RunningHost, Promise<Content>>();

const test = testWithOwnHost.extend<{ content: Content }>({
  content: async ({ host }, use) => {
    const content = contents.get(host) ?? fillHost(host, join(host.ready.dataDir, 'scenes'));
    contents.set(host, content);
    await use(await content);
  },
});

/** Pixels between two columns, in which the arrow of a heading may stand. */
const GAP_PX = 12;

/** The lists that scroll sideways, and the headings of columns that reach into the next one. */
function cutOff(app: Page): Promise<string[]> {
  return app.evaluate((gap) => {
    const over = (selector: string, most: number) =>
      [...document.querySelectorAll(selector)].filter((box) => box.scrollWidth - box.clientWidth > most);
    const found = [...over('[role="grid"]', 0), ...over('[role="columnheader"]', gap)];
    return found.map((box) => box.getAttribute('aria-label') ?? box.textContent);
  }, GAP_PX);
}

/** What is cut off without a title of its own, and what makes the page scroll sideways. */
function cutOrWide(app: Page): Promise<string[]> {
  return app.getByRole('main').evaluate((content) => {
    const cut = [...document.querySelectorAll<HTMLElement>('button, [role="tab"], label, h1, h2, th, nav a')]
      .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1)
      .filter((element) => getComputedStyle(element).overflowX !== 'visible' && element.clientWidth > 0)
      .map((element) => `${element.tagName} ${element.textContent?.trim()}`);
    const wide = [document.documentElement, content].filter((box) => box.scrollWidth > box.clientWidth);
    return [...cut, ...wide.map(({ tagName }) => `${tagName} scrolls sideways`)];
  });
}

test.describe.configure({ timeout: 600_000 });

const long = process.env.PLANCHET_LONG === '1';
/** Outside the long form every third view is looked at in German. */
const STEP = long ? 1 : 3;

test('every view with something in it fits and is accessible in light or dark, in the long form in both', async ({
  app,
  content,
}) => {
  const views = Object.values(viewsOf(content)).flatMap((addresses) => Object.entries(addresses));
  for (const [place, [name, path]] of views.entries()) {
    await goTo(app, path);
    await test.step(name, async () => {
      await checkView(app, name);
      if (!long) await expectAccessibleIn(app, schemesOf(place));
    });
  }
});

test('every dialog and menu is accessible in light or dark, in the long form in both', async ({
  app,
  host,
  content,
}) => {
  for (const [place, { name, path, open, close }] of dialogs(content, host).entries()) {
    await test.step(`open ${name}`, async () => {
      await goTo(app, path);
      await open(app);
    });
    await test.step(name, () => expectAccessibleIn(app, schemesOf(place)));
    await close?.();
    await app.keyboard.press('Escape');
    // Another view in between, so that the next scene never begins with what this one left.
    await goTo(app, '/errors/settings-invalid');
    await expect(app.locator('[role="dialog"], [role="menu"]'), name).toHaveCount(0);
  }
});

test.describe('in German', () => {
  test.use({ locale: 'de-DE' });

  test('views with something in them fit the smallest window, their headings and all buttons whole', async ({
    app,
    content,
  }) => {
    await expect(app.locator('html')).toHaveAttribute('lang', 'de');
    await app.setViewportSize({ width: 1024, height: 640 });
    const views = Object.values(viewsOf(content)).flatMap((addresses) => Object.entries(addresses));
    for (const [name, path] of views.filter((_, place) => place % STEP === 0)) {
      await goTo(app, path);
      await expect(app.getByRole('main').getByRole('status', { name: 'Lädt …' })).toHaveCount(0);
      await expect
        .configure({ soft: true })
        .poll(async () => [...(await cutOff(app)), ...(await cutButtons(app)), ...(await cutOrWide(app))], name)
        .toEqual([]);
    }
  });
});
