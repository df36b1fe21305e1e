import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect, expectAccessible } from './fixtures.ts';

/** With PLANCHET_SHOTS=1 every view is photographed into this folder, for people to look at. */
const shots = process.env.PLANCHET_SHOTS === '1' ? fileURLToPath(new URL('../screenshots/', import.meta.url)) : null;

/** The smallest window there is, and the usual one; photographs are taken in a large one as well. */
const sizes = [
  { width: 1280, height: 800 },
  ...(shots === null ? [] : [{ width: 1920, height: 1080 }]),
  { width: 1024, height: 640 },
];

/** Checks the open page in both colour schemes and all sizes: nothing scrolls sideways, and it is accessible. */
export async function checkView(app: Page, name: string): Promise<void> {
  const main = app.getByRole('main');
  await expect(app.locator('h1').first()).toBeVisible();
  await expect(main.getByRole('status', { name: 'Loading…' })).toHaveCount(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await app.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(app.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
    for (const size of sizes) {
      await app.setViewportSize(size);
      const overflow = (): Promise<number> =>
        app.evaluate(() => {
          const { documentElement: page } = document;
          const content = document.querySelector('main') as HTMLElement;
          const boxes = [page, content, ...content.querySelectorAll('[role="grid"]')];
          return Math.max(...boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
        });
      await expect.poll(overflow, `${name} scrolls sideways at ${size.width}`).toBeLessThanOrEqual(0);
      if (shots !== null) await app.screenshot({ path: `${shots}${name}-${size.width}-${colorScheme}.png` });
    }
    await animationsEnd(app);
    await expectAccessible(app);
  }
  await app.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await app.setViewportSize({ width: 1280, height: 800 });
}

/** Waits for what moves to its end, such as a dialog that opens: half faded in, its text has too little contrast. */
export async function animationsEnd(app: Page): Promise<void> {
  await app.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}
