import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

test('Help opens the documents, which are searched without a network and lead back', { tag: '@long' }, async ({
  app,
  context,
}) => {
  const errors: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await goTo(app, '/help');
  const opened = context.waitForEvent('page');
  await app.getByRole('link', { name: 'Read the documents' }).click();
  const docs = await opened;
  const asked: string[] = [];
  docs.on('request', (request) => asked.push(new URL(request.url()).host));
  await expect(docs.getByRole('heading', { level: 1, name: 'Planchet' })).toBeVisible();
  // The heading is part of the file. The button works once the site's script has started.
  await docs.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
  await docs.getByRole('button', { name: 'Search' }).click();
  await docs.getByRole('searchbox').fill('quota-exceeded');
  await docs
    .getByRole('option', { name: /quota-exceeded/ })
    .first()
    .click();
  await expect(docs).toHaveURL(/\/docs\/errors\.html#quota-exceeded$/);
  await expect(docs.getByRole('heading', { name: /^quota-exceeded/ })).toBeInViewport();
  await docs.getByRole('link', { name: 'Open Planchet' }).click();
  await expect(docs).toHaveURL(new URL('/', app.url()).href);
  expect(new Set(asked)).toEqual(new Set([new URL(app.url()).host]));
  expect(errors).toEqual([]);
});

/** Opens a document and waits until the script of the site runs. */
async function openDocument(page: Page, path: string): Promise<number | undefined> {
  const answer = await page.goto(new URL(path, page.url()).href);
  await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
  return answer?.status();
}

test('the documents, their search and the page of a lost address are accessible in light and dark', async ({ app }) => {
  // Without `.html`; one with tables and code, one of an interface with parameters.
  for (const [path, status] of [
    ['/docs/', 200],
    ['/docs/gateway', 200],
    ['/docs/openapi/arc', 200],
    ['/docs/no-such-page', 404],
  ] as const) {
    await app.emulateMedia({ colorScheme: 'light' });
    expect(await openDocument(app, path), path).toBe(status);
    await test.step(path, () => expectAccessible(app));
    await app.emulateMedia({ colorScheme: 'dark' });
    await expect(app.locator('html')).toHaveClass(/dark/);
    await test.step(`${path} in dark`, () => expectAccessible(app, 'colours'));
  }
  await app.getByRole('link', { name: 'To the first page of the documents' }).click();
  await expect(app.getByRole('heading', { level: 1, name: 'Planchet' })).toBeVisible();
  await app.getByRole('button', { name: 'Search' }).click();
  await app.getByRole('searchbox').fill('fee');
  await expect(app.getByRole('option').first()).toBeVisible();
  await test.step('the search', () => expectAccessible(app));
});
