import { fileURLToPath } from 'node:url';
import { expect, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';
import { plainViews } from '../../support/views.ts';

test.use({ locale: 'de-DE' });

test('every view is in German, and fits the smallest window', async ({ app }) => {
  await expect(app.locator('html')).toHaveAttribute('lang', 'de');
  await app.setViewportSize({ width: 1024, height: 640 });
  for (const path of plainViews) {
    await goTo(app, path);
    const main = app.getByRole('main');
    await expect(main.getByRole('status', { name: 'Lädt …' })).toHaveCount(0);
    // What is cut off without a title of its own, and what makes the page scroll sideways.
    const wide = await main.evaluate((content) => {
      const page = document.documentElement;
      const cut = [...document.querySelectorAll<HTMLElement>('button, [role="tab"], label, h1, h2, th, nav a')]
        .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1)
        .filter((element) => getComputedStyle(element).overflowX !== 'visible' && element.clientWidth > 0)
        .map((element) => `${element.tagName} ${element.textContent?.trim()}`);
      return [
        ...cut,
        ...[page, content]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ tagName }) => `${tagName} scrolls sideways`),
      ];
    });
    expect.soft(wide, path).toEqual([]);
    if (process.env.PLANCHET_GERMAN_SHOTS) {
      const name = path.slice(1).replaceAll('/', '-') || 'home';
      await app.screenshot({ path: `${process.env.PLANCHET_GERMAN_SHOTS}/${name}.png` });
    }
  }
});

test('a token is minted with the page in German', async ({ app }) => {
  await goTo(app, '/projects');
  await app
    .getByRole('button', { name: /^(Neues Projekt|Erstes Projekt anlegen)$/ })
    .first()
    .click();
  await app.getByRole('textbox', { name: 'Name', exact: true }).fill('Kupfermonde');
  await app.getByRole('button', { name: 'Projekt anlegen', exact: true }).click();
  await expect(app.getByRole('heading', { name: 'Kupfermonde', level: 1 })).toBeVisible();
  const sample = fileURLToPath(new URL('../../../resources/samples/copper-moon.png', import.meta.url));
  await app.locator('input[type=file]').first().setInputFiles(sample);
  await app.getByRole('link', { name: '1 Entwurf prägen' }).click();
  await app.getByRole('button', { name: 'Weiter' }).click();
  await app.getByRole('button', { name: 'Vor dem Prägen prüfen' }).click();
  await expect(app.getByText(/Sie prägen 1 Token an Ihre eigene Wallet/)).toBeVisible();
  await app.getByRole('button', { name: /^Freigeben und für .* prägen/ }).click();
  await expect(app.getByText('Ihr Token steht bewiesen im Block')).toBeVisible({ timeout: 20_000 });
});
