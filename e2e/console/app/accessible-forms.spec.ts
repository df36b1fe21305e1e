import type { Page } from '@playwright/test';
import { expect, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';
import { plainViews } from '../../support/views.ts';

test.describe.configure({ timeout: 240_000 });

/** Animations that still run although reduced motion is requested. */
function moving(app: Page): Promise<(string | undefined)[]> {
  return app.evaluate(() =>
    document
      .getAnimations()
      .filter(({ effect, playState }) => playState === 'running' && Number(effect?.getComputedTiming().duration) > 50)
      .map(({ effect }) => (effect as KeyframeEffect).target?.outerHTML.slice(0, 120)),
  );
}

/** Controls whose border is only a background colour, which forced colours remove. */
function withoutEdge(app: Page): Promise<string[]> {
  return app.evaluate(() =>
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
}

/** The focus ring, or the focused element that has none. */
async function ringOfFocus(app: Page): Promise<string> {
  await app.getByRole('main').focus();
  await app.keyboard.press('Tab');
  return app.evaluate(() => {
    const { activeElement: focused } = document;
    if (focused === null || focused === document.body) return 'solid';
    const { outlineStyle, outlineWidth } = getComputedStyle(focused);
    return outlineStyle === 'none' || outlineWidth === '0px' ? focused.outerHTML.slice(0, 120) : 'solid';
  });
}

/** Elements that scroll sideways, and whether the view has enough space. */
function roomOf(app: Page): Promise<{ wide: string[]; room: boolean }> {
  return app.evaluate(() => {
    const main = document.querySelector('main') as HTMLElement;
    const wide = [document.documentElement, main].filter((box) => box.scrollWidth > box.clientWidth);
    return { wide: wide.map(({ tagName }) => tagName), room: main.clientHeight > 150 && main.clientWidth > 300 };
  });
}

/** Every ninth view except in the long run. */
const views = plainViews.filter((_, place) => process.env.PLANCHET_LONG === '1' || place % 9 === 0);

// One pass over the views for all checks, since rendering takes most of the time. every-view.spec.ts checks each of them with axe.
test('every view has a title, no animation with reduced motion, borders in forced colours, and fits at 200 % zoom', async ({
  app,
}) => {
  for (const path of views) {
    await goTo(app, path);
    await expect(app.getByRole('main').getByRole('status', { name: 'Loading…' })).toHaveCount(0);
    await expect(app, path).toHaveTitle(/ · Planchet$/);
    expect.soft(await moving(app), `${path}: reduced motion`).toEqual([]);

    await app.emulateMedia({ forcedColors: 'active' });
    expect.soft(await withoutEdge(app), `${path}: without an edge`).toEqual([]);
    expect.soft(await ringOfFocus(app), `${path}: focus`).toBe('solid');
    await app.emulateMedia({ forcedColors: 'none' });

    // 1280x800 at 200 %.
    await app.setViewportSize({ width: 640, height: 400 });
    // A chart adapts to the new size a moment later.
    await expect
      .configure({ soft: true })
      .poll(() => roomOf(app), `${path}: twice the size`)
      .toEqual({ wide: [], room: true });
    await app.setViewportSize({ width: 1280, height: 800 });
  }
});

test('with reduced motion a change of colours starts no transition', async ({ app }) => {
  await app.evaluate(() => {
    const counted = window as unknown as { transitions: number };
    counted.transitions = 0;
    document.addEventListener('transitionrun', () => {
      counted.transitions += 1;
    });
  });
  await app.emulateMedia({ colorScheme: 'dark' });
  await expect(app.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  // Transition events are fired in the frame after the change.
  const transitions = await app.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    return (window as unknown as { transitions: number }).transitions;
  });
  expect(transitions).toBe(0);
});

test('a screen reader finds landmarks, and messages about changes are announced', async ({ app }) => {
  await expect(app.getByRole('main')).toHaveCount(1);
  await expect(app.getByLabel('Network and status')).toHaveCount(1);
  await expect(app.getByRole('navigation', { name: 'Main' })).toHaveCount(1);
  // Events elsewhere are announced without moving the focus.
  await goTo(app, '/sandbox');
  await app.getByRole('button', { name: 'Mine 6 blocks' }).click();
  await expect(
    app.locator('[role=status], [aria-live=polite], [role=alert]').filter({ hasText: /blocks are mined/ }),
  ).toBeVisible();
});
