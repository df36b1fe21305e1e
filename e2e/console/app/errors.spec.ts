import { expect, expectAccessible, test } from '../../support/fixtures.ts';
import { startHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';
import { goTo } from '../../support/studio.ts';

const none = 'ab'.repeat(32);
/** Views that need the node or the services of the sandbox. */
const asking = [
  '/explorer',
  `/tx/${none}`,
  ...(process.env.PLANCHET_LONG === '1'
    ? ['/explorer/mempool', `/explorer/block/${none}`, `/explorer/outpoint/${none}_0`]
    : []),
];

test('every refusal of the node is shown once, with its reason, a fix, a code and a retry', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const client = host.client();
  await client.sandbox.faults.set({ name: 'http-error', value: 503, area: 'rpc' });
  for (const view of asking) {
    await goTo(app, view);
    const note = app.getByRole('main').getByRole('alert');
    await expect(note, view).toHaveCount(1);
    await expect(note).toContainText('HTTP 503');
    await expect(note).toContainText('A fault that is on may be why: the node answers 503.');
    await expect(note).toContainText('upstream-error');
    await expect(note.getByRole('button', { name: /^Copy error code/ })).toBeVisible();
    await expect(note.getByRole('link', { name: 'What this means' })).toBeVisible();
    await expect(note.getByRole('button', { name: 'Try again' })).toBeVisible();
  }
  await expectAccessible(app);
  await goTo(app, '/explorer');
  await expect(app.getByText('could not be read')).toHaveCount(1);
  await client.sandbox.faults.clear({});
  // Until the gateway has asked the node again, it replies with the last reason.
  await expect(app.getByRole('button', { name: 'Services: All running' })).toBeVisible();
  await app.getByRole('main').getByRole('button', { name: 'Try again' }).click();
  await expect(app.getByRole('main').getByRole('alert')).toHaveCount(0);
  await expect(app.getByRole('grid').getByRole('row').nth(1)).toContainText(/\d B/);
});

test('a page of something that does not exist offers no retry', { tag: '@long' }, async ({ app }) => {
  for (const view of [
    `/tx/${none}`,
    '/jobs/none',
    '/projects/none',
    `/transactions/${none}`,
    `/explorer/block/${none}`,
  ]) {
    await goTo(app, view);
    const note = app.getByRole('main').getByRole('alert');
    await expect(note, view).toContainText('not-found');
    await expect(note.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  }
});

test('every view reports that Planchet has stopped, and none loads forever or shows all services as running', async ({
  page,
}) => {
  const host = await startHost({ filled: true });
  await openHost(page, host);
  await expect(page.getByRole('button', { name: 'Services: All running' })).toBeVisible();
  // The code of a view is loaded when it is opened.
  for (const view of [`/explorer/block/${'cd'.repeat(32)}`, '/jobs/other', '/']) await goTo(page, view);
  await host.stop();
  await expect(page.getByText('The connection was lost. Reconnecting…')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Services: Not connected' })).toBeVisible();
  for (const view of [`/explorer/block/${none}`, `/jobs/none`]) {
    await goTo(page, view);
    const note = page.getByRole('main').getByRole('alert');
    await expect(note).toContainText('Planchet does not answer.');
    await expect(note.getByRole('button', { name: 'Try again' })).toBeVisible();
  }
});
