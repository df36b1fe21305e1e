import { expect, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

/** The page and the button of each menu. */
const menus = [
  { path: '/', button: /^Network: / },
  { path: '/', button: /^Appearance/ },
  { path: '/wallet', button: /^Export/ },
] as const;

test('menus are inside a landmark and inside the window', async ({ app }) => {
  for (const { path, button } of menus) {
    await app.setViewportSize({ width: 1024, height: 640 });
    await goTo(app, path);
    await app.getByRole('button', { name: button }).first().click();
    const menu = app.locator('main, section[aria-label]').getByRole('menu');
    await expect(menu.getByRole('menuitem').first()).toBeInViewport({ ratio: 1 });
    await expect(menu.getByRole('menuitem').last()).toBeInViewport({ ratio: 1 });
    await app.keyboard.press('Escape');
    await expect(app.getByRole('menu')).toHaveCount(0);
  }
});
