import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import { createProject, goTo } from '../../support/studio.ts';

const COUNT = 24;

/** A folder in the format of HashLips, with three bad rows: a missing picture, one twice, and a number twice. */
async function hashLipsFolder(): Promise<string> {
  const folder = join(mkdtempSync(join(tmpdir(), 'planchet-import-')), 'Copper Tides');
  for (const name of ['images', 'json']) mkdirSync(join(folder, name), { recursive: true });
  for (let n = 1; n <= COUNT; n++) {
    const background = { r: (n * 41) % 256, g: (n * 17) % 256, b: 90 };
    const picture = await sharp({ create: { width: 96, height: 96, channels: 3, background } })
      .png()
      .toBuffer();
    if (n !== 5) writeFileSync(join(folder, 'images', `${n}.png`), picture);
    if (n === 7) writeFileSync(join(folder, 'images', '8.png'), picture);
    if (n === 8) writeFileSync(join(folder, 'images', '7.png'), picture);
    if (n === 8) writeFileSync(join(folder, 'images', '8.png'), picture);
    const metadata = {
      name: `Copper Tide #${n}`,
      description: 'Tides in copper',
      image: `${n}.png`,
      edition: n === 9 ? 10 : n,
      attributes: [
        { trait_type: 'Metal', value: ['Copper', 'Silver', 'Iron'][n % 3] },
        { trait_type: 'Phase', value: `Day ${n % 5}` },
      ],
    };
    writeFileSync(join(folder, 'json', `${n}.json`), JSON.stringify(metadata));
  }
  return folder;
}

test('a HashLips folder is read, its bad rows are corrected in the table, and it becomes a collection', {
  tag: '@long',
}, async ({ app }) => {
  const folder = await hashLipsFolder();
  try {
    await goTo(app, '/import');
    await app.getByLabel('Folder to import').setInputFiles(folder);
    await expect(app.getByRole('heading', { name: 'Import Copper Tides', level: 1 })).toBeVisible();
    const rows = app.getByRole('region', { name: 'Rows' });
    await expect(rows.getByText('There is no file "5.png".', { exact: false })).toBeVisible();

    // In a narrow window messages take two lines, and the rows adapt.
    await app.setViewportSize({ width: 1024, height: 640 });
    const overlap = (): Promise<number> =>
      rows.locator('[data-index]').evaluateAll((places) => {
        const boxes = places.map((place) => place.getBoundingClientRect()).sort((a, b) => a.top - b.top);
        return Math.max(...boxes.slice(1).map(({ top }, index) => (boxes[index]?.bottom ?? 0) - top));
      });
    await expect.poll(overlap).toBeLessThanOrEqual(1);
    await app.setViewportSize({ width: 1280, height: 800 });

    await rows.getByRole('button', { name: 'Accept' }).click();
    await expect(rows.getByRole('button', { name: 'Accept' })).toHaveCount(0);
    const number = rows.locator('[data-wrong]').filter({ hasText: /^10$/ });
    await number.press('Enter');
    await rows.getByRole('textbox', { name: /^Number of/ }).fill('9');
    await app.keyboard.press('Enter');
    await expect(rows.getByText('The number 10 is also', { exact: false })).toHaveCount(0);
    await rows.getByRole('button', { name: 'Leave out' }).first().click();
    await expect(app.getByRole('button', { name: `Import ${COUNT - 1}, leave 1` })).toBeEnabled();
    await checkView(app, 'import-fine');

    await app.getByRole('button', { name: `Import ${COUNT - 1}, leave 1` }).click();
    await expect(app.getByText(`${COUNT - 1} items are in the project`)).toBeVisible();
    await checkView(app, 'import-done');
    await app.getByRole('link', { name: 'Open the project' }).click();
    await expect(app.getByText(new RegExp(`^${COUNT} items`))).toBeVisible();
  } finally {
    rmSync(join(folder, '..'), { recursive: true, force: true });
  }
});

test('a table dropped with pictures is imported only after a question', { tag: '@long' }, async ({ app }) => {
  await createProject(app, 'Asked', [
    { name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') },
    { name: 'tides.csv', mimeType: 'text/csv', buffer: Buffer.from('file,name\na.svg,Asked tide\n') },
  ]);
  const dialog = app.getByRole('dialog');
  await expect(dialog.getByText('tides.csv may describe a collection', { exact: false })).toBeVisible();
  await dialog.getByRole('button', { name: 'Read as a table and import' }).click();
  await expect(app.getByRole('heading', { name: 'Import Asked', level: 1 })).toBeVisible();
  await expect(app.getByRole('button', { name: 'Name of Asked tide: Asked tide' })).toBeVisible();
});
