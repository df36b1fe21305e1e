import { readFile } from 'node:fs/promises';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import { approveAndWait, buildMint, createProject, goTo } from '../../support/studio.ts';

const METALS = ['Copper', 'Silver', 'Iron'];

test('a project shows its items as pictures and rows, found by text and traits', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const client = host.client();
  await createProject(app, 'Forty tides', ['tide.svg', 'copper-moon.png']);
  await expect(app.getByText(/^2 items · 2 drafts/)).toBeVisible();
  const uid = new URL(app.url()).hash.split('/').at(-1) as string;
  const [, moon] = await client.items.list({ projectUid: uid });
  for (let n = 1; n <= 38; n++) {
    const traits = [
      { name: 'Metal', value: METALS[n % 3] as string },
      { name: 'Phase', value: `Day ${n % 14}` },
    ];
    await client.items.create({
      projectUid: uid,
      sha256: moon?.file.sha256 as string,
      fileName: `moon-${n}.png`,
      metadata: { name: `Moon ${n}`, description: '', traits, mintNumber: n },
    });
  }
  await app.reload();
  await expect(app.getByText(/^40 items · 40 drafts/)).toBeVisible();
  await expect(app.getByRole('img', { name: /Picture of moon-/ }).first()).toBeVisible();

  await app.getByRole('tab', { name: 'Traits' }).click();
  await app.getByRole('button', { name: /^Copper/ }).click();
  await expect(app.getByRole('region', { name: 'Items' }).getByRole('article')).toHaveCount(12);

  await app.locator('label', { hasText: /^Table$/ }).click();
  await expect(app.getByRole('grid', { name: 'Items' }).getByRole('row')).toHaveCount(13);
  await checkView(app, 'project-table');
  await app.getByRole('checkbox', { name: 'Select all rows' }).check();
  await app.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Edit' }).click();
  const dialog = app.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'New name' }).fill('Copper tide #{n}');
  await dialog.getByRole('button', { name: 'Change 12 drafts' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(app.getByText('Copper tide #3', { exact: true })).toBeVisible();
  await app.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Clear', exact: true }).click();
  await app.locator('label', { hasText: /^Gallery$/ }).click();
  await app.getByRole('button', { name: 'Clear filters' }).click();
  await app.getByRole('button', { name: 'Select all drafts' }).click();
  await checkView(app, 'project-selected');
});

test('a project shows its cost before the mint, and its ledger with files after it', { tag: '@long' }, async ({
  app,
}) => {
  await createProject(app, 'Ledger', ['tide.svg', 'copper-moon.png', 'haiku.txt']);
  await expect(app.getByText(/^3 items/)).toBeVisible();
  await app.getByRole('tab', { name: 'Plan and cost' }).click();
  await expect(app.getByText('To mint everything')).toBeVisible();
  await expect(app.getByText('1 transaction', { exact: true })).toBeVisible();
  await buildMint(app);
  await approveAndWait(app);

  await goTo(app, '/projects');
  await app.locator('label', { hasText: /^Cards$/ }).click();
  await app.getByRole('link', { name: /^Ledger/ }).click();
  await app.getByRole('tab', { name: 'Plan and cost' }).click();
  await expect(app.getByText('Nothing to mint')).toBeVisible();
  await app.getByRole('tab', { name: 'Ledger' }).click();
  await expect(app.getByRole('grid', { name: 'Ledger' }).getByText('checked')).toHaveCount(3);
  for (const [button, name, start] of [
    ['CSV', 'Ledger ledger.csv', 'item,fileName,'],
    ['JSON', 'Ledger ledger.json', '['],
    ['Proof bundle', 'Ledger proofs.html', '<!doctype html>'],
  ] as const) {
    const saving = app.waitForEvent('download');
    await app.getByRole('button', { name: button, exact: true }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe(name);
    expect((await readFile(await file.path(), 'utf8')).startsWith(start)).toBe(true);
  }
});

test('a single output is made in a project without items, listed and deleted', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/projects');
  await app
    .getByRole('button', { name: /^(New project|Create your first project)$/ })
    .first()
    .click();
  await app.getByRole('textbox', { name: 'Name', exact: true }).fill('Outputs alone');
  await app.getByRole('button', { name: 'Create project' }).click();
  await expect(app.getByRole('heading', { name: 'Outputs alone', level: 1 })).toBeVisible();
  await checkView(app, 'project-empty');
  await app.getByRole('tab', { name: 'At the token service' }).click();
  await app.getByRole('button', { name: 'New output' }).click();
  const dialog = app.getByRole('dialog');
  await dialog.getByText('Text', { exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Text', exact: true }).fill('Low water at six.');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Low water');
  await dialog.getByRole('textbox', { name: 'Content type' }).fill('text/x-tide');
  await dialog.getByRole('textbox', { name: 'Further metadata' }).fill('{"tide": "low"}');
  await dialog.getByRole('button', { name: 'Create output' }).click();
  await expect(dialog).toHaveCount(0);
  const grid = app.getByRole('grid', { name: 'At the token service' });
  await expect(grid.getByText('Low water')).toBeVisible();
  await expect(grid.getByText('Unused')).toBeVisible();
  await app.getByRole('combobox', { name: 'On chain' }).click();
  await app.getByRole('option', { name: 'Not on chain' }).click();
  await expect(grid.getByText('Low water')).toBeVisible();
  await grid.getByRole('checkbox', { name: 'Select all rows' }).check();
  await app.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click();
  await app.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(app.getByText('The service holds no such output')).toBeVisible();
});

test('a large photo is replaced by a smaller copy with one click, and the original restored with another', {
  tag: '@long',
}, async ({ app, host }) => {
  const client = host.client();
  const { uid } = await client.projects.create({ name: 'Photos', type: 'single' });
  // Like a photo: soft shapes with noise in every pixel.
  const photo = await app.evaluate(async () => {
    const canvas = new OffscreenCanvas(1_200, 900);
    const pen = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
    const picture = pen.createImageData(canvas.width, canvas.height);
    for (let at = 0; at < picture.data.length; at += 4) {
      const noise = (Math.imul(at, 2_654_435_761) >>> 24) % 48;
      picture.data.set(
        [(at / 9_000) % 208, (at / 31_000) % 208, 90, 0].map((value) => value + noise),
        at,
      );
      picture.data[at + 3] = 255;
    }
    pen.putImageData(picture, 0, 0);
    const bytes = new Uint8Array(
      await (await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.95 })).arrayBuffer(),
    );
    return Array.from(bytes);
  });
  const { uploadId } = await client.files.begin({ name: 'beach.jpg', bytes: photo.length, contentType: 'image/jpeg' });
  for (let offset = 0; offset < photo.length; offset += 500_000)
    await client.files.append({
      uploadId,
      offset,
      piece: new Blob([Uint8Array.from(photo.slice(offset, offset + 500_000))]),
    });
  const { sha256 } = await client.files.finish({ uploadId });
  const metadata = { name: 'Beach', description: '', traits: [] };
  await client.items.create({ projectUid: uid, sha256, fileName: 'beach.jpg', metadata });
  const held = async () => (await client.items.list({ projectUid: uid }))[0];
  await goTo(app, `/projects/${uid}`);
  await app.getByRole('tab', { name: 'Plan and cost' }).click();
  await expect(app.getByText(/^1 photo is 99.* of the fee$/)).toBeVisible();
  await app.getByRole('button', { name: 'Make smaller copies' }).click();
  const pairs = app.getByRole('dialog', { name: 'Originals and smaller copies' });
  await expect(pairs.getByRole('img', { name: /^Picture of beach/ })).toHaveCount(2);
  await checkView(app, 'smaller-copies');
  await app.keyboard.press('Escape');
  const copied = await held();
  expect(copied).toMatchObject({ file: { name: 'beach.jpg', contentType: 'image/jpeg' }, original: { sha256 } });
  expect(copied?.file.bytes).toBeLessThanOrEqual(300_000);
  await expect(app.getByText(/^1 smaller copy saves about/)).toBeVisible();
  await checkView(app, 'cost-advice');
  await app.getByRole('button', { name: 'Put the originals back' }).click();
  await expect(app.getByText(/^1 photo is 99.* of the fee$/)).toBeVisible();
  expect((await held())?.file.sha256).toBe(sha256);
});
