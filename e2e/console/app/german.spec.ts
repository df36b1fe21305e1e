import { fileURLToPath } from 'node:url';
import { expect, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

test.use({ locale: 'de-DE' });

test('a token is minted with the page in German', { tag: '@long' }, async ({ app }) => {
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
