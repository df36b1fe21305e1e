import { expect, expectAccessible, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

/** every-fault.spec.ts opens all of them. */
const views = ['/', '/wallet', '/sandbox'];

test('a fault is named above every view and turned off there', { tag: '@long' }, async ({ app, host }) => {
  const client = host.client();
  await goTo(app, '/');
  await client.sandbox.faults.set({ name: 'callbacks-lost' });
  for (const view of views) {
    await goTo(app, view);
    await expect(app.getByText('1 fault is on: miners never call back')).toBeVisible();
  }
  await expectAccessible(app);
  await app.getByRole('button', { name: 'Turn off', exact: true }).click();
  await expect(app.getByText(/fault is on/)).toHaveCount(0);
  expect((await client.sandbox.status()).faults).toEqual([]);
});

test('several faults are folded to a list, and each can be turned off in it', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const client = host.client();
  await client.sandbox.faults.set({ name: 'http-error', value: 503, area: 'rpc' });
  await client.sandbox.faults.set({ name: 'latency', value: 50, area: 'mapi' });
  await client.sandbox.faults.set({ name: 'mempool-full' });
  await goTo(app, '/tokens');
  await expect(app.getByText('3 faults are on')).toBeVisible();
  await expect(app.getByText('the node answers 503')).toHaveCount(0);
  await app.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(app.getByText('the node answers 503')).toBeVisible();
  await expectAccessible(app);
  await app.getByRole('button', { name: 'Turn off: the merchant API answers 50 ms late' }).click();
  await expect(app.getByText('2 faults are on')).toBeVisible();
  await app.getByRole('button', { name: 'Turn all off' }).click();
  await expect(app.getByText(/faults? (is|are) on/)).toHaveCount(0);
});

test('a fault that has occurred as often as it should leaves the banner by itself', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const client = host.client();
  await goTo(app, '/');
  await client.sandbox.faults.set({ name: 'http-error', value: 500, area: 'rpc', times: 1 });
  // The probes of the gateway are affected by it.
  await expect.poll(async () => (await client.sandbox.status()).faults).toEqual([]);
  // A second fault shows that the page knows the end of the first.
  await client.sandbox.faults.set({ name: 'mempool-full' });
  await expect(app.getByText('1 fault is on: ')).toBeVisible();
  await client.sandbox.faults.clear({});
  await expect(app.getByText(/fault is on/)).toHaveCount(0);
});
