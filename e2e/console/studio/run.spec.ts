import type { Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';
import { goTo } from '../../support/studio.ts';

const ITEMS = 30;

/** A unique picture: a moon with its own colour and position. */
function moon(number: number): Blob {
  const hue = (number * 47) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="hsl(${hue} 30% 14%)"/><circle cx="${30 + ((number * 13) % 40)}" cy="${30 + ((number * 29) % 40)}" r="${12 + (number % 7) * 2}" fill="hsl(${hue} 70% 62%)"/></svg>`;
  return new Blob([svg], { type: 'image/svg+xml' });
}

/** A collection of drafts, created by the page's own procedures. */
async function createCollection(host: RunningHost, name: string): Promise<string> {
  const { files, items, projects } = host.client();
  const project = await projects.create({ name, type: 'collection' });
  for (let number = 0; number <= ITEMS; number++) {
    const piece = moon(number);
    const fileName = `moon-${number}.svg`;
    const { uploadId } = await files.begin({ name: fileName, bytes: piece.size, contentType: piece.type });
    await files.append({ uploadId, offset: 0, piece });
    const { sha256 } = await files.finish({ uploadId });
    const metadata = { name: number === 0 ? name : `Moon ${number}`, description: '', traits: [] };
    await items.create({ projectUid: project.uid, sha256, fileName, metadata });
  }
  return project.uid;
}

const shown = (app: Page) => app.getByRole('main');

test('a collection is minted in one run, paused, found again after the browser was closed, and finished', {
  tag: '@long',
}, async ({ app, host, browser }) => {
  const { faults } = host.client().sandbox;
  const uid = await createCollection(host, 'Thirty moons');
  await goTo(app, `/projects/${uid}/mint`);
  await expect(shown(app).getByText(`You mint ${ITEMS + 1} tokens to your own wallet`, { exact: false })).toBeVisible();
  await expect(shown(app).getByText('Collection token')).toBeVisible();
  await expect(shown(app).getByRole('button', { name: /^Approve and mint for/ })).toBeEnabled();
  await checkView(app, 'run-plan');
  const size = app.viewportSize();
  await app.setViewportSize({ width: 1024, height: 640 });
  await expect(shown(app).getByText('What is signed cannot be undone', { exact: false })).toBeVisible();
  if (size !== null) await app.setViewportSize(size);

  await faults.set({ name: 'latency', value: 600, area: 'token' });
  await shown(app)
    .getByRole('button', { name: /^Approve and mint for/ })
    .click();
  await expect(shown(app).getByRole('heading', { name: 'Mint of Thirty moons', level: 1 })).toBeVisible();
  await expect(shown(app).getByText(`1 of ${ITEMS + 1}`, { exact: true })).toBeVisible();
  await shown(app).getByRole('button', { name: 'Pause' }).click();
  await expect(shown(app).getByRole('button', { name: 'Resume' })).toBeVisible();
  await faults.clear({});
  const address = app.url();
  await checkView(app, 'run-paused');
  await app.close();

  const again = await (await browser.newContext()).newPage();
  await openHost(again, host);
  await goTo(again, '/jobs');
  await expect(shown(again).getByRole('link', { name: /Thirty moons/ })).toBeVisible();
  await goTo(again, address.split('#')[1] as string);
  await shown(again).getByRole('button', { name: 'Resume' }).click();
  await expect(shown(again).getByText(`Your ${ITEMS + 1} tokens are mined and proven`)).toBeVisible({
    timeout: 60_000,
  });
  await expect(shown(again).getByRole('region', { name: 'Minted' }).getByRole('link')).toHaveCount(ITEMS + 1);
  const items = await host.client().items.list({ projectUid: uid });
  expect(new Set(items.map(({ outpoint }) => outpoint)).size).toBe(ITEMS + 1);
  expect(items.map(({ state }) => state)).toEqual(items.map(() => 'proven'));
  await again.context().close();
});
