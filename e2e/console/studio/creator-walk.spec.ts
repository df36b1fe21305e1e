import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { workbookOfTexts } from '../../../src/main/studio/import/test-support/workbook.ts';
import { expect } from '../../support/fixtures.ts';
import { clicksOf, testOnFreshProfile as test } from '../../support/fresh-profile.ts';

/** Three hundred in the long run, with the same number of clicks. */
const COUNT = process.env.PLANCHET_LONG === '1' ? 300 : 10;
const NAME = 'Möwen';
/** Number of clicks from the first page to the saved folder of pages, and of those up to the first token. */
const CLICKS = { firstToken: 3, all: 13 };

/** Pictures of five types, and the spreadsheet of a German creator. */
async function folderOfGulls(): Promise<string> {
  const folder = join(mkdtempSync(join(tmpdir(), 'planchet-walk-')), NAME);
  mkdirSync(folder);
  const lines = [['Datei', 'Name', 'Nummer', 'Beschreibung', 'Künstlerin', 'Himmel', 'Flügel']];
  for (let n = 1; n <= COUNT; n++) {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="hsl(${(n * 47) % 360} 40% 30%)"/><circle cx="${8 + (n % 48)}" cy="${8 + (Math.floor(n / 7) % 48)}" r="${4 + (n % 9)}" fill="hsl(${n % 360} 70% 70%)"/></svg>`;
    const kind = (['png', 'jpeg', 'webp', 'gif', 'svg'] as const)[n % 5] ?? 'png';
    const file = `Möwe ${n}.${kind === 'jpeg' ? 'jpg' : kind}`;
    writeFileSync(join(folder, file), kind === 'svg' ? svg : await sharp(Buffer.from(svg)).toFormat(kind).toBuffer());
    const sky = ['Dämmerung', 'Mittag', 'Sturm'][n % 3] as string;
    lines.push([
      file,
      `Möwe Nr. ${n}`,
      `${n}`,
      'Möwen über dem Hafen',
      'Mira Öhler',
      sky,
      n % 7 === 0 ? 'Weiß' : 'Grau',
    ]);
  }
  writeFileSync(join(folder, 'Möwen.xlsx'), workbookOfTexts(lines));
  return folder;
}

test(`a new creator: a first token, ${COUNT} mixed pictures with an Excel table, minted and published, in ${CLICKS.all} clicks`, {
  tag: '@long',
}, async ({ app }) => {
  test.setTimeout(600_000);
  const folder = await folderOfGulls();
  const main = app.getByRole('main');
  const began = performance.now();
  const tell = async (what: string): Promise<void> => {
    console.log(`${what}: ${await clicksOf(app)} clicks, ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  };
  try {
    await app.getByRole('link', { name: /^Create/ }).click();
    await app.getByRole('button', { name: 'Copper moon' }).click();
    await app.getByRole('button', { name: 'Approve and mint' }).click();
    await expect(app.getByText(/^Mined in block \d+$/)).toBeVisible({ timeout: 60_000 });
    await tell('first token mined');
    expect(await clicksOf(app)).toBe(CLICKS.firstToken);

    await app.getByRole('link', { name: 'Projects', exact: true }).click();
    await app
      .getByRole('link', { name: /^Import/ })
      .first()
      .click();
    const chooser = app.waitForEvent('filechooser');
    await main
      .getByRole('button', { name: /folder/i })
      .first()
      .click();
    await (await chooser).setFiles(folder);
    await expect(app.getByRole('heading', { name: `Import ${NAME}`, level: 1 })).toBeVisible({ timeout: 120_000 });
    const take = app.getByRole('button', { name: `Import ${COUNT}` });
    await expect(take).toBeEnabled({ timeout: 60_000 });
    await tell('pictures and table read');
    await take.click();
    await expect(app.getByText(`${COUNT} items are in the project`)).toBeVisible({ timeout: 120_000 });
    await app.getByRole('link', { name: 'Open the project' }).click();
    await tell('project made');
    await app.getByRole('link', { name: /^Mint (all|\d)/ }).click();
    const approve = main.getByRole('button', { name: /^Approve and mint for/ });
    await expect(approve).toBeEnabled({ timeout: 120_000 });
    await tell('plan shown');
    await approve.click();
    await expect(main.getByText(/tokens are mined and proven/)).toBeVisible({ timeout: 400_000 });
    await tell('minted');
    await main.getByRole('link', { name: 'Back to the project' }).click();
    await app.getByRole('button', { name: 'Publish' }).click();
    const dialog = app.getByRole('dialog', { name: `Publish ${NAME}` });
    await dialog.getByRole('textbox').fill('https://moewen.example/');
    const saving = app.waitForEvent('download', { timeout: 200_000 });
    await dialog.getByRole('button', { name: 'Make the zip file' }).click();
    expect((await saving).suggestedFilename()).toBe(`${NAME}.zip`);
    await expect(dialog.getByRole('status')).toHaveText(new RegExp(`with ${COUNT + 1} pages`));
    await tell('published');
    expect(await clicksOf(app)).toBe(CLICKS.all);
  } finally {
    rmSync(join(folder, '..'), { recursive: true, force: true });
  }
});
