import type { Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { goTo } from '../../support/studio.ts';

const ITEMS = 8;

/** A unique picture. */
function ring(name: string, number: number): Blob {
  const hue = (number * 67 + name.length * 31) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><title>${name} ${number}</title><rect width="100" height="100" fill="hsl(${hue} 40% 16%)"/><circle cx="50" cy="50" r="${16 + number * 3}" fill="none" stroke="hsl(${hue} 70% 62%)" stroke-width="6"/></svg>`;
  return new Blob([svg], { type: 'image/svg+xml' });
}

/** A collection of drafts, created by the page's own procedures. */
async function createCollection(host: RunningHost, name: string, count = ITEMS): Promise<string> {
  const { files, items, projects } = host.client();
  const project = await projects.create({ name, type: 'collection' });
  for (let number = 0; number <= count; number++) {
    const piece = ring(name, number);
    const fileName = `ring-${number}.svg`;
    const { uploadId } = await files.begin({ name: fileName, bytes: piece.size, contentType: piece.type });
    await files.append({ uploadId, offset: 0, piece });
    const { sha256 } = await files.finish({ uploadId });
    const metadata = { name: number === 0 ? name : `Ring ${number}`, description: '', traits: [] };
    await items.create({ projectUid: project.uid, sha256, fileName, metadata });
  }
  return project.uid;
}

const main = (app: Page) => app.getByRole('main');
const states = async (host: RunningHost, projectUid: string): Promise<string[]> =>
  (await host.client().items.list({ projectUid })).map(({ state }) => state);

test('a project is rehearsed on the sandbox, then the same plan is minted for real with its own approval', {
  tag: '@long',
}, async ({ app, host }) => {
  const uid = await createCollection(host, 'Nine rings');
  await host.client().settings.set({ key: 'currency.code', value: 'EUR' });
  await host.client().settings.set({ key: 'currency.rate', value: 50 });
  await host.client().settings.set({ key: 'currency.unit', value: 'currency' });
  await goTo(app, `/projects/${uid}/mint`);
  await app.reload();
  await expect(main(app).getByText(/for .* of art/)).toBeVisible();
  await expect(main(app).getByText(/€/).first()).toBeVisible();
  await checkView(app, 'plan-with-rehearsal');
  await host.client().settings.set({ key: 'currency.unit', value: 'satoshi' });
  await app.reload();
  await main(app).getByRole('button', { name: 'Rehearse first' }).click();
  await expect(main(app).getByRole('heading', { name: 'Rehearsal of Nine rings', level: 1 })).toBeVisible();
  await expect(main(app).getByText(`Rehearsed: ${ITEMS + 1} tokens were minted and proven`)).toBeVisible({
    timeout: 60_000,
  });
  await expect(main(app).getByRole('region', { name: 'Minted' }).getByRole('listitem')).toHaveCount(ITEMS + 1);
  expect(new Set(await states(host, uid))).toEqual(new Set(['draft']));

  await main(app).getByRole('button', { name: 'Mint it for real' }).click();
  await expect(main(app).getByRole('heading', { name: 'Mint of Nine rings', level: 1 })).toBeVisible();
  expect(new Set(await states(host, uid))).toEqual(new Set(['draft']));
  await main(app)
    .getByRole('button', { name: /^Approve and mint for/ })
    .click();
  await expect(main(app).getByText(`Your ${ITEMS + 1} tokens are mined and proven`)).toBeVisible({ timeout: 60_000 });
  expect(new Set(await states(host, uid))).toEqual(new Set(['proven']));
});

test('a cancelled rehearsal leaves the project unchanged', { tag: '@long' }, async ({ app, host }) => {
  // Many, so that minting them takes longer than a click.
  const uid = await createCollection(host, 'Rings to cancel', 150);
  await goTo(app, `/projects/${uid}/mint`);
  await main(app).getByRole('switch', { name: 'Without the token service' }).click();
  await main(app).getByRole('button', { name: 'Rehearse first' }).click();
  await main(app).getByRole('button', { name: 'Cancel the rehearsal' }).click();
  await expect(main(app).getByText('This rehearsal was cancelled')).toBeVisible();
  await checkView(app, 'rehearsal-cancelled');
  expect(new Set(await states(host, uid))).toEqual(new Set(['draft']));
  expect((await host.client().rehearsals.list())[0]).toMatchObject({ state: 'cancelled', direct: true });
});

test('a project is minted without the token service', { tag: '@long' }, async ({ app, host }) => {
  const uid = await createCollection(host, 'Rings of our own');
  await goTo(app, `/projects/${uid}/mint`);
  await expect(main(app).getByText('Collection token')).toBeVisible();
  await host.client().sandbox.faults.set({ name: 'http-error', value: 503, area: 'token' });
  await main(app).getByRole('switch', { name: 'Without the token service' }).click();
  await main(app)
    .getByRole('button', { name: /^Approve and mint for/ })
    .click();
  await expect(main(app).getByText(`Your ${ITEMS + 1} tokens are mined and proven`)).toBeVisible({ timeout: 60_000 });
  await host.client().sandbox.faults.clear({});
  expect(new Set(await states(host, uid))).toEqual(new Set(['proven']));
});
