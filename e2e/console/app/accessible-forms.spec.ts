import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';
import { plainViews } from '../../support/views.ts';

test.describe.configure({ timeout: 240_000 });

async function eachView(app: Page, check: (path: string) => Promise<void>): Promise<void> {
  for (const path of plainViews) {
    await goTo(app, path);
    await expect(app.getByRole('main').getByRole('status', { name: 'Loading…' })).toHaveCount(0);
    await check(path);
  }
}

test('with reduced motion nothing moves', async ({ app }) => {
  await app.emulateMedia({ reducedMotion: 'reduce' });
  await eachView(app, async (path) => {
    const moving = await app.evaluate(() =>
      document
        .getAnimations()
        .filter(({ effect, playState }) => playState === 'running' && Number(effect?.getComputedTiming().duration) > 50)
        .map(({ effect }) => (effect as KeyframeEffect).target?.outerHTML.slice(0, 120)),
    );
    expect.soft(moving, path).toEqual([]);
  });
});

test('with forced colours every control keeps an edge, and the focus shows', async ({ app }) => {
  await app.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await eachView(app, async (path) => {
    const bare = await app.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('button[data-variant="filled"], input:not([type=file]), textarea')]
        .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
        .filter((element) => element.clientWidth > 4 && getComputedStyle(element).appearance === 'none')
        .filter((element) => {
          const framed: Element[] = [element];
          while (framed.length < 5) framed.push(framed.at(-1)?.parentElement ?? element);
          return framed.every((one) => getComputedStyle(one).borderTopWidth === '0px');
        })
        .map((element) => element.outerHTML.slice(0, 120)),
    );
    expect.soft(bare, `${path}: without an edge`).toEqual([]);
    await app.getByRole('main').focus();
    await app.keyboard.press('Tab');
    const ring = await app.evaluate(() => {
      const { activeElement: focused } = document;
      if (focused === null || focused === document.body) return 'solid';
      const { outlineStyle, outlineWidth } = getComputedStyle(focused);
      return outlineStyle === 'none' || outlineWidth === '0px' ? focused.outerHTML.slice(0, 120) : 'solid';
    });
    expect.soft(ring, `${path}: focus`).toBe('solid');
  });
});

test('at twice the size everything is still there and nothing scrolls sideways', async ({ app }) => {
  await app.emulateMedia({ reducedMotion: 'reduce' });
  // 1280x800 at 200 %.
  await app.setViewportSize({ width: 640, height: 400 });
  await eachView(app, async (path) => {
    const state = await app.evaluate(() => {
      const main = document.querySelector('main') as HTMLElement;
      const wide = [document.documentElement, main].filter((box) => box.scrollWidth > box.clientWidth);
      return { wide: wide.map(({ tagName }) => tagName), room: main.clientHeight > 150 && main.clientWidth > 300 };
    });
    expect.soft(state, path).toEqual({ wide: [], room: true });
  });
});

test('a screen reader hears names, landmarks and what changes', async ({ app }) => {
  await app.emulateMedia({ reducedMotion: 'reduce' });
  await expect(app.getByRole('main')).toHaveCount(1);
  await expect(app.getByLabel('Network and status')).toHaveCount(1);
  await expect(app.getByRole('navigation', { name: 'Main' })).toHaveCount(1);
  await eachView(app, async (path) => {
    await expect(app, path).toHaveTitle(/ · Planchet$/);
    await expectAccessible(app);
  });
  // What happens elsewhere is told without moving the focus.
  await goTo(app, '/sandbox');
  await app.getByRole('button', { name: 'Mine 6 blocks' }).click();
  await expect(
    app.locator('[role=status], [aria-live=polite], [role=alert]').filter({ hasText: /blocks are mined/ }),
  ).toBeVisible();
});
