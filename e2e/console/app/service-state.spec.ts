import { expect, expectAccessible, testWithOwnHost as test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

const sizes = [
  { width: 1280, height: 800 },
  { width: 1024, height: 640 },
];

test('the top bar states the services in words, and lists each with its state, its age and a restart', {
  tag: '@long',
}, async ({ app }) => {
  await goTo(app, '/');
  await app.getByRole('button', { name: 'Services: All running' }).click();
  const list = app.getByRole('dialog', { name: 'Services' });
  await expect(list.getByRole('listitem')).toHaveCount(8);
  const writer = list.locator('[data-service="writer"]');
  await expect(writer.getByText('Running')).toBeVisible();
  await expect(writer.getByText(/^since/)).toBeVisible();
  await writer.getByRole('button', { name: 'Restart Data writer' }).click();
  await expect(writer.getByText('Running')).toBeVisible();
  await writer.getByRole('link', { name: 'Open Data writer' }).click();
  await expect(app.getByRole('heading', { level: 1, name: 'Data writer' })).toBeVisible();
  await expect(list).toHaveCount(0);
});

test('a service that cannot do its work is counted, listed first, and shows how long that has lasted', async ({
  app,
  host,
}) => {
  await goTo(app, '/');
  const client = host.client();
  await client.sandbox.faults.set({ name: 'http-error', value: 503, area: 'rpc' });
  await app.getByRole('button', { name: 'Services: 2 problems' }).click();
  const list = app.getByRole('dialog', { name: 'Services' });
  await expect(list.getByText('Degraded', { exact: true })).toHaveCount(2);
  await expect(list.getByText('Degraded by a fault that you switched on')).toHaveCount(2);
  await expect(list.getByRole('listitem').first()).toContainText('the node answers 503');
  await expectAccessible(app);
  await list.getByRole('button', { name: 'Turn off' }).first().click();
  await expect(app.getByRole('button', { name: 'Services: All running' })).toBeVisible();
});

test('the search box does not move when the texts next to it change, and no text is cut off', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const client = host.client();
  for (const size of sizes) {
    await app.setViewportSize(size);
    await goTo(app, '/');
    const bar = app.getByRole('region', { name: 'Network and status' });
    const search = bar.getByRole('button', { name: /^Search or run a command/ });
    const before = await search.boundingBox();
    await client.sandbox.faults.set({ name: 'http-error', value: 503, area: 'rpc' });
    await expect(bar.getByRole('button', { name: 'Services: 2 problems' })).toBeVisible();
    expect(await search.boundingBox()).toEqual(before);
    const boxes = await bar.locator('a, button').evaluateAll((parts) =>
      parts.map((part) => {
        const { left, right, top, bottom } = part.getBoundingClientRect();
        return { left, right, top, bottom, cut: part.scrollWidth - part.clientWidth };
      }),
    );
    expect(boxes.length).toBeGreaterThan(4);
    boxes.sort((a, b) => a.left - b.left);
    for (const [index, box] of boxes.entries()) {
      expect(box.left, `part ${index} at ${size.width}`).toBeGreaterThanOrEqual(boxes[index - 1]?.right ?? 0);
      expect(box.right).toBeLessThanOrEqual(size.width);
      expect(box.bottom - box.top).toBeLessThanOrEqual(40);
      expect(box.cut).toBeLessThanOrEqual(1);
    }
    await client.sandbox.faults.clear({});
    await expect(bar.getByRole('button', { name: 'Services: All running' })).toBeVisible();
    expect(await search.boundingBox()).toEqual(before);
  }
});
