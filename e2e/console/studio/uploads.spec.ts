import type { Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { createProject } from '../../support/studio.ts';

const FILES = ['low.txt', 'high.txt', 'ebb.txt', 'flood.txt'].map((name) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(`tide ${name}`),
}));

/** Makes a project and reloads its page after one of its files was added, while the others cannot be sent. */
async function reloadInTheMiddle(app: Page, name: string): Promise<string> {
  let answered = 1;
  await app.route('**/api/files/finish', async (route) => {
    answered -= 1;
    // The others get no reply.
    if (answered >= 0) await route.continue();
  });
  await createProject(app, name, FILES);
  await expect(app.getByText(/^1 item/)).toBeVisible();
  const uid = new URL(app.url()).hash.split('/').at(-1) as string;
  await expect.poll(() => remembered(app)).toBe(true);
  answered = Number.POSITIVE_INFINITY;
  await app.reload();
  return uid;
}

/** Whether the browser has stored that one file of the four is added. */
function remembered(app: Page): Promise<boolean> {
  return app.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        const opening = indexedDB.open('planchet-uploads');
        opening.onsuccess = () => {
          const asking = opening.result.transaction('uploads').objectStore('uploads').getAll();
          asking.onsuccess = () => {
            const all = asking.result as { isDone?: true }[];
            resolve(all.length === 4 && all.filter(({ isDone }) => isDone).length === 1);
          };
        };
      }),
  );
}

async function expectEachOnce(app: Page, host: RunningHost, projectUid: string): Promise<void> {
  await expect(app.getByText(/^4 items · 4 drafts/)).toBeVisible();
  await expect(app.getByRole('region', { name: /^Adding/ })).toHaveCount(0);
  const items = await host.client().items.list({ projectUid });
  expect(items.map(({ file }) => file.name).sort()).toEqual(FILES.map(({ name }) => name).sort());
}

test('files being uploaded into a project are each added once after a reload', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const uid = await reloadInTheMiddle(app, 'Reloaded');
  await expectEachOnce(app, host, uid);
  await app.reload();
  await expectEachOnce(app, host, uid);
});

test('files that the browser could not store are listed, dropped again and each added once', { tag: '@long' }, async ({
  app,
  host,
}) => {
  await app.addInitScript(() => {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (value: { file?: File }, ...rest) {
      if (value.file !== undefined) throw new DOMException('There is no room.', 'QuotaExceededError');
      return put.call(this, value, ...rest);
    };
  });
  await app.reload();
  const uid = await reloadInTheMiddle(app, 'Dropped again');
  const missing = app.getByRole('region', { name: '3 files have to be dropped again' });
  await expect(missing.getByRole('listitem')).toHaveCount(3);
  await checkView(app, 'uploads-missing');
  const input = app.locator('input[type=file]').first();
  const name = (await missing.getByRole('listitem').first().textContent()) as string;
  await input.setInputFiles(FILES.filter((file) => file.name === name));
  await expect(app.getByText(/^2 items/)).toBeVisible();
  // The missing files are dropped together with existing ones.
  await input.setInputFiles(FILES);
  await expectEachOnce(app, host, uid);
  await expect(app.getByText(/dropped again/)).toHaveCount(0);
});
