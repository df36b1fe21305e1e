import { expect, test } from '../../support/fixtures.ts';
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
