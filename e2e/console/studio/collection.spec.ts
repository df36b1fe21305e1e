import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import sharp from 'sharp';
import { checkView } from '../../support/check-view.ts';
import { runCli } from '../../support/cli.ts';
import { expect, test } from '../../support/fixtures.ts';
import { openHost } from '../../support/open.ts';
import { goTo } from '../../support/studio.ts';

const COUNT = 200;
const NAME = 'Harbour lights';

/** A unique picture. */
function light(n: number): Promise<Buffer> {
  const hue = (n * 47) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48"><rect width="48" height="48" fill="hsl(${hue} 30% 14%)"/><circle cx="${8 + (n % 32)}" cy="${8 + (Math.floor(n / 7) % 32)}" r="${4 + (n % 9)}" fill="hsl(${hue} 70% ${40 + (n % 40)}%)"/></svg>`;
  return sharp(Buffer.from(svg)).png({ palette: true }).toBuffer();
}

/**
 * A folder in the format of HashLips, with five bad rows: a missing picture (5), one picture twice (8), one number twice (10), no name (20)
 * and a trait that is too long (30).
 */
async function hashLipsFolder(): Promise<string> {
  const folder = join(mkdtempSync(join(tmpdir(), 'planchet-collection-')), NAME);
  for (const name of ['images', 'json']) mkdirSync(join(folder, name), { recursive: true });
  const tokens: unknown[] = [];
  for (let n = 1; n <= COUNT; n++) {
    const picture = await light(n === 8 ? 7 : n);
    writeFileSync(join(folder, 'images', n === 5 ? 'spare.png' : `${n}.png`), picture);
    const token = {
      name: n === 20 ? '' : `Light #${n}`,
      description: 'Lights of a harbour at night',
      image: `ipfs://NewUriToReplace/${n}.png`,
      dna: createHash('sha1').update(`${n}`).digest('hex'),
      edition: n === 9 ? 10 : n,
      date: 1_700_000_000_000 + n,
      attributes: [
        { trait_type: 'Colour', value: ['Red', 'Green', 'White', 'Yellow'][n % 4] },
        { trait_type: 'Rhythm', value: n === 30 ? 'x'.repeat(300) : `Every ${1 + (n % 10)} s` },
      ],
      compiler: 'HashLips Art Engine',
    };
    tokens.push(token);
    writeFileSync(join(folder, 'json', `${n}.json`), JSON.stringify(token));
  }
  writeFileSync(join(folder, 'json', '_metadata.json'), JSON.stringify(tokens));
  return folder;
}

const main = (app: Page): Locator => app.getByRole('main');

/** Opens a cell, types a value and saves it. */
async function correct(app: Page, cell: Locator, label: RegExp, text: string): Promise<void> {
  await cell.press('Enter');
  await app.getByRole('textbox', { name: label }).fill(text);
  await app.keyboard.press('Enter');
}

async function correctAll(app: Page): Promise<void> {
  const rows = app.getByRole('region', { name: 'Rows' });
  await expect(app.getByText('5 problems')).toBeVisible();

  await rows.locator('[data-wrong]').filter({ hasText: 'None' }).first().press('Enter');
  await app.getByRole('combobox', { name: /^File of/ }).fill('spare');
  await app.getByRole('option', { name: 'images/spare.png' }).click();
  await expect(app.getByText('4 problems')).toBeVisible();
  await rows.getByRole('button', { name: 'Accept' }).click();
  await expect(app.getByText('3 problems')).toBeVisible();
  await correct(app, rows.locator('[data-wrong]').filter({ hasText: /^10$/ }), /^Number of/, '9');
  await expect(app.getByText('2 problems')).toBeVisible();
  await correct(app, rows.locator('[data-wrong]').filter({ hasText: 'None' }), /^Name of/, 'Light #20');
  await expect(app.getByText('1 problem', { exact: true })).toBeVisible();
  await correct(app, rows.getByRole('button', { name: /^Rhythm of/ }), /^Rhythm of/, 'Every 1 s');
  await expect(app.getByRole('button', { name: `Import ${COUNT}` })).toBeEnabled();
}

/** Drags a picture to another position, sorts by number again, and changes the position of one item by hand. */
async function arrange(app: Page): Promise<void> {
  const tiles = main(app).getByRole('region', { name: 'Items' }).getByRole('article');
  const tile = (name: string): Locator => tiles.filter({ has: app.getByText(name, { exact: true }) });
  await tile('Light #3').dragTo(tile('Light #1'));
  await expect(tiles.nth(1)).toContainText('Light #3');
  await expect(tiles.nth(2)).toContainText('Light #1');
  await main(app).getByRole('button', { name: 'More actions: Light #3' }).click();
  await app.getByRole('menuitem', { name: 'Move later' }).click();
  await expect(tiles.nth(2)).toContainText('Light #3');
  await main(app).getByRole('button', { name: 'Order drafts' }).click();
  await app.getByRole('menuitem', { name: 'Number', exact: true }).click();
  await expect(tiles.nth(3)).toContainText('Light #3');
  await main(app).getByRole('button', { name: 'Edit Light #2', exact: true }).click();
  const dialog = app.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Rarity' }).fill('Beacon');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
}

test(`a folder of ${COUNT} pictures with five bad rows is rehearsed, minted and ends with a ledger and a verified bundle`, {
  tag: '@long',
}, async ({ app, host, browser }) => {
  test.setTimeout(300_000);
  const folder = await hashLipsFolder();
  const { faults } = host.client().sandbox;
  try {
    await goTo(app, '/import');
    await app.getByLabel('Folder to import').setInputFiles(folder);
    await expect(app.getByRole('heading', { name: `Import ${NAME}`, level: 1 })).toBeVisible({ timeout: 60_000 });
    await correctAll(app);
    const description = app.getByRole('button', { name: 'Use the description all tokens have' });
    await description.click();
    // Until it is saved, nothing else can be changed.
    await expect(description).toBeHidden();
    await app.getByRole('combobox', { name: 'Cover' }).fill('22.png');
    await app.getByRole('option', { name: 'images/22.png' }).click();
    await expect(app.getByRole('combobox', { name: 'Cover' })).toHaveAttribute('placeholder', '22.png');
    await app.getByRole('button', { name: `Import ${COUNT}` }).click();
    await expect(app.getByText(`${COUNT} items are in the project`)).toBeVisible({ timeout: 60_000 });
    await app.getByRole('link', { name: 'Open the project' }).click();
    await expect(app.getByText(new RegExp(`^${COUNT + 1} items`))).toBeVisible();
    const uid = app.url().split('/').at(-1) as string;
    await arrange(app);
    const arranged = await host.client().items.list({ projectUid: uid });
    expect(arranged[2]?.metadata).toMatchObject({ name: 'Light #2', mintNumber: 2, rarityLabel: 'Beacon' });

    const rehearsed = JSON.parse(
      await runCli(host.ready.dataDir, '--json', 'mint', '--project', NAME, '--rehearse'),
    ) as Record<string, number>;
    expect(rehearsed).toMatchObject({ items: COUNT + 1, minted: COUNT + 1, failed: 0 });

    await goTo(app, `/projects/${uid}/mint`);
    const approve = main(app).getByRole('button', { name: /^Approve and mint for/ });
    await expect(approve).toBeEnabled();
    await checkView(app, 'collection-plan');
    await faults.set({ name: 'latency', value: 600, area: 'token' });
    await approve.click();
    await expect(main(app).getByRole('heading', { name: `Mint of ${NAME}`, level: 1 })).toBeVisible();
    await expect(main(app).getByText(`1 of ${COUNT + 1}`, { exact: true })).toBeVisible();
    await main(app).getByRole('button', { name: 'Pause' }).click();
    await expect(main(app).getByRole('button', { name: 'Resume' })).toBeVisible();
    await faults.clear({});
    const address = app.url();
    await app.close();

    const context = await browser.newContext();
    const again = await context.newPage();
    await openHost(again, host);
    await goTo(again, address.split('#')[1] as string);
    await main(again).getByRole('button', { name: 'Resume' }).click();
    await expect(main(again).getByText(`Your ${COUNT + 1} tokens are mined and proven`)).toBeVisible({
      timeout: 180_000,
    });
    await goTo(again, `/projects/${uid}`);
    await expect(
      main(again)
        .getByText(`${COUNT + 1} minted`, { exact: false })
        .first(),
    ).toBeVisible();
    await main(again).getByRole('tab', { name: 'At the token service' }).click();
    await main(again).getByRole('combobox', { name: 'Role' }).click();
    await again.getByRole('option', { name: 'Collection tokens' }).click();
    await expect(main(again).getByRole('grid').getByText(NAME)).toBeVisible();
    await context.close();

    const { dataDir } = host.ready;
    const ledger = JSON.parse(await runCli(dataDir, '--json', 'ledger', '--project', uid)) as Record<string, unknown>[];
    expect(ledger).toHaveLength(COUNT + 1);
    expect(new Set(ledger.map(({ outpoint }) => outpoint)).size).toBe(COUNT + 1);
    expect(ledger.map(({ state }) => state)).toEqual(ledger.map(() => 'proven'));
    const csv = await runCli(dataDir, 'ledger', '--project', uid, '--csv');
    expect(csv.trim().split('\n')).toHaveLength(COUNT + 2);
    const file = join(folder, '..', 'bundle.html');
    await runCli(dataDir, 'bundle', '--project', uid, '--out', file);
    const verdict = JSON.parse(await runCli(dataDir, '--json', 'verify', file)) as {
      valid: boolean;
      headerKnown: boolean;
      tokens: { outpoint: string; sha256: string }[];
    };
    expect(verdict).toMatchObject({ valid: true, headerKnown: true });
    const proven = new Map(verdict.tokens.map(({ outpoint, sha256 }) => [outpoint, sha256]));
    expect(ledger.map(({ outpoint }) => proven.get(outpoint as string))).toEqual(
      ledger.map(({ fileHash }) => fileHash),
    );
    const brought = createHash('sha256')
      .update(readFileSync(join(folder, 'images', `${COUNT}.png`)))
      .digest('hex');
    expect(ledger.at(-1)).toMatchObject({ fileHash: brought });
  } finally {
    await faults.clear({});
    rmSync(join(folder, '..'), { recursive: true, force: true });
  }
});
