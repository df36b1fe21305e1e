import { fileURLToPath } from 'node:url';
import { type Page, test } from '@playwright/test';
import { expect, expectAccessible } from './fixtures.ts';

/** With PLANCHET_SHOTS=1 a screenshot of every view is saved in this folder. */
const shots = process.env.PLANCHET_SHOTS === '1' ? fileURLToPath(new URL('../screenshots/', import.meta.url)) : null;

const long = process.env.PLANCHET_LONG === '1';

/** The smallest window; in the long run and for screenshots also the usual one, for screenshots also a large one. */
const sizes = [
  ...(long || shots !== null ? [{ width: 1280, height: 800 }] : []),
  ...(shots === null ? [] : [{ width: 1920, height: 1080 }]),
  { width: 1024, height: 640 },
];

type ColorScheme = 'light' | 'dark';
const bothSchemes: readonly ColorScheme[] = ['light', 'dark'];

/** The colour schemes in which a view or dialog is checked: both in the long run, else alternating. */
export function schemesOf(place: number): readonly ColorScheme[] {
  return long ? bothSchemes : [place % 2 === 0 ? 'light' : 'dark'];
}

/**
 * Checks the open page: nothing scrolls sideways, no shortened id is truncated again, and buttons show their complete label in the sizes above. The long run
 * also checks the accessibility in both schemes; otherwise every-view.spec.ts does that for every tenth view in one of them.
 * @param options.staysSmall leaves the window at the last size for the next view, since each change of it renders the page again
 */
export async function checkView(app: Page, name: string, options: { staysSmall?: boolean } = {}): Promise<void> {
  const main = app.getByRole('main');
  await expect(app.locator('h1').first()).toBeVisible();
  await expect(main.getByRole('status', { name: 'Loading…' })).toHaveCount(0);
  await showIn(app, 'light');
  for (const size of sizes) {
    await app.setViewportSize(size);
    await expect.poll(() => overflow(app), `${name} scrolls sideways at ${size.width}`).toBeLessThanOrEqual(0);
    await expect.poll(() => cutAgain(app), `${name} cuts shortened ids at ${size.width}`).toEqual([]);
    await expect.poll(() => cutButtons(app), `${name} cuts labels of buttons at ${size.width}`).toEqual([]);
    if (shots !== null) await photograph(app, `${name}-${size.width}`);
  }
  if (long) {
    await expectAccessibleIn(app, bothSchemes);
    await showIn(app, 'light');
  }
  if (!options.staysSmall) await app.setViewportSize({ width: 1280, height: 800 });
}

function overflow(app: Page): Promise<number> {
  return app.evaluate(() => {
    const { documentElement: page } = document;
    const content = document.querySelector('main') as HTMLElement;
    const boxes = [page, content, ...content.querySelectorAll('[role="grid"]')];
    return Math.max(...boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
  });
}

/** Shortened ids (`3f2a…91c0`) that are truncated again, or overflow their cell. */
function cutAgain(app: Page): Promise<string[]> {
  return app.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main *')]
      .filter(({ textContent }) => /^\s*[0-9A-Za-z]{2,}…[0-9A-Za-z_]{2,}\s*$/.test(textContent ?? ''))
      .filter((element) => element.matches('dd') || getComputedStyle(element).overflowX !== 'visible')
      .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
      .map(({ textContent }) => textContent?.trim() ?? ''),
  );
}

/** Labels of buttons that are partly hidden. */
export function cutButtons(app: Page): Promise<string[]> {
  return app.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.mantine-Button-label')]
      .filter((label) => label.checkVisibility() && label.scrollWidth > label.clientWidth + 1)
      .map(({ textContent }) => textContent ?? ''),
  );
}

async function photograph(app: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await showIn(app, colorScheme);
    await app.screenshot({ path: `${shots}${name}-${colorScheme}.png` });
  }
}

/**
 * Checks the open page by all rules in the first scheme, and in the other by those about colours.
 * @param within selector of the part to check, if the rest was checked already; otherwise the complete page
 */
export async function expectAccessibleIn(app: Page, schemes: readonly ColorScheme[], within?: string): Promise<void> {
  for (const [at, colorScheme] of schemes.entries()) {
    await showIn(app, colorScheme);
    await test.step(colorScheme, () => expectAccessible(app, at > 0 ? 'colours' : undefined, within));
    if (colorScheme === 'dark') await expect.poll(() => whiteSlabs(app), 'white areas in the dark theme').toEqual([]);
  }
}

/** Boxes of more than 200 by 200 pixels with a light background. Pictures and QR codes have their own colours. */
function whiteSlabs(app: Page): Promise<string[]> {
  return app.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((element) => element.checkVisibility() && element.closest('svg, img, [role="img"]') === null)
      .filter(({ clientWidth, clientHeight }) => clientWidth * clientHeight > 40_000)
      .filter((element) => {
        const [red = 0, green = 0, blue = 0, alpha = 1] = (
          getComputedStyle(element).backgroundColor.match(/[\d.]+/g) ?? []
        ).map(Number);
        return alpha > 0.5 && Math.min(red, green, blue) > 200;
      })
      .map((element) => `${element.tagName} ${element.className} ${element.textContent?.trim().slice(0, 60)}`),
  );
}

/** Changes the colour scheme of the system, and waits until the page has applied it. */
async function showIn(app: Page, colorScheme: ColorScheme): Promise<void> {
  await app.emulateMedia({ colorScheme });
  await app.waitForFunction((wanted) => document.documentElement.dataset.mantineColorScheme === wanted, colorScheme);
}
