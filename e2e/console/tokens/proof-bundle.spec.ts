import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { type ProofBundle, writeBundle } from '../../../src/chain/bundle/index.ts';
import {
  bundleOf,
  sampleCollection,
  sampleCollectionToken,
  sampleItem,
} from '../../../src/chain/bundle/test-support/collection.ts';
import { sampleBundle } from '../../../src/chain/bundle/test-support/sample.ts';
import { expect, expectAccessible, testWithoutHost as test } from '../../support/fixtures.ts';

let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-bundle-page-'));
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

function saved(name: string, file: Uint8Array | string): string {
  writeFileSync(join(folder, name), file);
  return pathToFileURL(join(folder, name)).href;
}

/** Writes a picture for people to inspect, if requested. */
async function look(page: Page, name: string, fullPage = true): Promise<void> {
  if (process.env.PLANCHET_SHOTS !== '1') return;
  for (const [scheme, width, height] of [
    ['light', 1280, 800],
    ['dark', 1280, 800],
    ['light', 1024, 640],
    ['light', 1920, 1080],
    ['dark', 390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: `e2e/screenshots/proof-${name}-${scheme}-${width}.png`, fullPage });
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
}

const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test('the file of one token shows the work, its label and the result of the verification, without a network', async ({
  page,
  context,
}) => {
  await context.setOffline(true);
  const bundle = sampleCollection(1, 200);
  await page.goto(saved('one.html', writeBundle(bundle)));
  await expect(page.getByRole('status')).toHaveText('Verified.');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('First light 1');
  await expect(page).toHaveTitle('First light 1 · First light');
  const work = page.getByRole('img', { name: 'The work: First light 1' });
  await expect.poll(() => work.evaluate((art: HTMLImageElement) => art.naturalWidth)).toBeGreaterThan(0);
  await expect(page.getByText('Sandbox: tokens without value')).toBeVisible();
  await expect(page.getByText('No. 1 of 200')).toBeVisible();
  await expect(page.getByText('by Mira Anders')).toBeVisible();
  await expect(page.getByText('5% to mira@example.com, not enforced by the network')).toBeVisible();
  // The inscribed values, since the file does not contain the complete collection.
  await expect(page.getByRole('listitem').filter({ hasText: 'Noon' })).toHaveText('SkyNoon20% have it');
  await expect(page.getByText('Verified: inscribed in block 901 on')).toBeVisible();
  const way = page.getByRole('list', { name: 'From the work to the block' });
  await expect(way.getByRole('listitem')).toHaveCount(5);
  await expect(way).toContainText('Merkle path3 hashes up to the block’s root');
  await expect(page.getByText('What a file alone cannot show')).toBeVisible();
  await expect(page.getByText(bundle.tokens[1]?.sha256 ?? '', { exact: true })).toBeHidden();
  await page.getByText('Technical details').click();
  await expect(page.getByText(bundle.tokens[1]?.sha256 ?? '', { exact: true })).toBeVisible();
  await expectAccessible(page);
  for (const width of [1280, 1024, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await sideways(page), `${width}`).toBe(0);
  }
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('First light 1');
  await look(page, 'token');
});

test('the file of a collection has a banner, and a grid with search, filters, sorting and keyboard navigation', async ({
  page,
}) => {
  await page.goto(saved('many.html', writeBundle(sampleCollection(70))));
  await expect(page.getByRole('status').first()).toHaveText('Verified.');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('First light');
  await expect(page.getByText('Hills at the edge of the day', { exact: false })).toBeVisible();
  await expect(page.getByText('Verified: 70 tokens, inscribed from block 900 to 901.', { exact: false })).toBeVisible();
  const tiles = page.locator('.tile');
  const first = tiles.first().getByRole('link');
  await expect(tiles).toHaveCount(60);
  await look(page, 'collection', false);
  await page.getByRole('button', { name: 'Show more: 10 left' }).click();
  await expect(tiles).toHaveCount(70);
  await expectAccessible(page);
  await page.getByLabel('Search').fill('light 7');
  await expect(tiles).toHaveCount(8);
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByRole('checkbox', { name: /^Crown/ }).check();
  await page.getByRole('checkbox', { name: /^Night/ }).check();
  await expect(tiles).toHaveCount(4);
  await expect(page.getByText('4 of 70')).toBeVisible();
  await page.getByLabel('Search').fill('no such word');
  await expect(page.getByText('No token fits.', { exact: false })).toBeVisible();
  await page.getByRole('button', { name: 'Clear all' }).click();
  await expect(tiles).toHaveCount(60);
  await page.getByLabel('Sort by').selectOption({ label: 'Sort by: Rarity' });
  await expect(first).toHaveText('First light 10');
  await first.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('First light 10');
  // The file contains the complete collection, so the frequency of a trait is counted.
  await expect(page.getByRole('listitem').filter({ hasText: 'Top hat' })).toHaveText('HatTop hat18 of 70');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('First light 11');
  await expectAccessible(page);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('First light 10');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: 'First light 10', exact: true })).toBeFocused();
  for (const width of [1024, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await sideways(page), `${width}`).toBe(0);
  }
});

test.describe('the page of a proof bundle in a German browser', () => {
  test.use({ locale: 'de-DE' });
  test('is in German', async ({ page }) => {
    await page.goto(saved('deutsch.html', writeBundle(sampleCollection(1, 1_200))));
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await expect(page.getByText('Nr. 1 von 1.200')).toBeVisible();
    await expect(page.getByText('vom Netz nicht erzwungen', { exact: false })).toBeVisible();
    await expect(page.getByText('Geprüft: eingeschrieben in Block 901 am', { exact: false })).toBeVisible();
    await look(page, 'german');
    const good = new TextDecoder().decode(writeBundle(sampleBundle()));
    await page.goto(saved('schlecht.html', good.replace('"tokens":', '"tokens"')));
    await expect(page.getByRole('status')).toContainText('Nicht gültig.');
  });
});

test('printing the page of a proof bundle unfolds its facts on paper only', async ({ page }) => {
  await page.goto(saved('paper.html', writeBundle(sampleCollection(1, 200))));
  await expect(page.getByText('Verified: inscribed')).toBeVisible();
  const closed = page.locator('main details:not([open])');
  await expect(closed).toHaveCount(2);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await expect(closed).toHaveCount(0);
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('link', { name: 'Save the work' })).toBeHidden();
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await expect(closed).toHaveCount(2);
  if (process.env.PLANCHET_SHOTS === '1') await page.pdf({ path: 'e2e/screenshots/proof-paper.pdf', format: 'A4' });
});

test('sound, film and unplayable files in a proof bundle have a player or a message, and can be saved', async ({
  page,
}) => {
  const of = (contentType: string, name: string) => ({ contentType, content: new Uint8Array(2_000), map: { name } });
  const contents = [of('audio/wav', 'Sound'), of('video/webm', 'Film'), of('application/zip', 'Archive')];
  await page.goto(saved('media.html', writeBundle(bundleOf(contents))));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('3 tokens');
  await page.getByRole('link', { name: 'Archive' }).click();
  await expect(
    page.getByText('A file of the type application/zip, 2 kB. This page has no player for it', { exact: false }),
  ).toBeVisible();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Save the work' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('Archive.zip');
  await page.getByRole('link', { name: 'All tokens' }).click();
  await page.getByRole('link', { name: 'Sound' }).click();
  // Two thousand zeros are not a sound: the page says so.
  await expect(page.getByText('This browser cannot show the work: audio/wav', { exact: false })).toBeVisible();
  await page.goto(saved('sound.html', writeBundle(bundleOf([{ ...of('audio/wav', 'Tone'), content: tone() }]))));
  const player = page.locator('audio');
  await expect.poll(() => player.evaluate((each: HTMLAudioElement) => each.duration)).toBeCloseTo(0.5, 1);
  await player.evaluate((each: HTMLAudioElement) => each.play());
  await expect.poll(() => player.evaluate((each: HTMLAudioElement) => each.currentTime)).toBeGreaterThan(0);
});

/** Half a second of a tone, as a WAV file. */
function tone(): Uint8Array {
  const samples = 4_000;
  const file = Buffer.alloc(44 + samples, 128);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + samples, 4);
  file.write('WAVEfmt ', 8);
  for (const [at, value] of [
    [16, 16],
    [24, 8_000],
    [28, 8_000],
    [40, samples],
  ] as const)
    file.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    file.writeUInt16LE(value, at);
  file.write('data', 36);
  for (let at = 0; at < samples; at++) file[44 + at] = 128 + Math.round(60 * Math.sin(at / 3));
  return new Uint8Array(file);
}

test('a token that does not name the collection of the bundle is not shown as a part of it', async ({ page }) => {
  const unrelated = sampleItem(1, `${'ab'.repeat(32)}_0`, 200);
  await page.goto(saved('unrelated.html', writeBundle(bundleOf([sampleCollectionToken(200)], [unrelated]))));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('First light 1');
  await expect(
    page.getByText('Says it belongs to the collection abababab…ab_0'.slice(0, 42), { exact: false }),
  ).toBeVisible();
  await expect(page.getByText('by Mira Anders')).toHaveCount(0);
  await expect(page.getByText('of 200')).toHaveCount(0);
  await expect(page.getByText('mira@example.com')).toHaveCount(0);
});

test('the page of a proof bundle is small apart from the art, for one token and for a hundred of one transaction', () => {
  for (const items of [1, 100]) {
    const bundle = sampleCollection(items);
    const file = writeBundle(bundle).length;
    // The transactions as base64 contain the art and its metadata.
    const inscribed = bundle.transactions.reduce((sum, { raw }) => sum + Math.ceil(raw.length / 3) * 4, 0);
    console.log(`${items} tokens: ${file} bytes, ${file - inscribed} beside the transactions`);
    expect(file - inscribed).toBeLessThan(300_000);
  }
});

test('the collection of a proof bundle is printed whole, though the page draws its tiles bit by bit', async ({
  page,
}) => {
  await page.goto(saved('hundred.html', writeBundle(sampleCollection(100))));
  await expect(page.locator('.tile')).toHaveCount(60);
  await page.pdf();
  await expect(page.locator('.tile')).toHaveCount(100);
});

test('a work in a proof bundle is shown whole in its tile, with the artist that only its traits name, and saved with an ending', async ({
  page,
}) => {
  const tall =
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="900"><rect width="300" height="900"/></svg>';
  const subTypeData = JSON.stringify({ traits: [{ name: 'artist', value: 'Ida Berg' }] });
  const of = (contentType: string, name: string) => ({
    contentType,
    content: new TextEncoder().encode(tall),
    map: { name, subType: 'collectionItem', subTypeData },
  });
  await page.goto(saved('tall.html', writeBundle(bundleOf([of('image/svg+xml', 'Tall'), of('text/exe', 'odd')]))));
  const picture = page.locator('.tile img');
  await expect.poll(() => picture.evaluate((art: HTMLImageElement) => art.naturalHeight)).toBe(900);
  expect(await picture.evaluate((art) => art.clientHeight - (art.parentElement?.clientHeight ?? 0))).toBe(0);
  for (const [name, file] of [
    ['Tall', 'Tall.svg'],
    ['odd', 'odd.bin'],
  ] as const) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByText('Technical details').click();
    await expectAccessible(page);
    await expect(page.getByText('by Ida Berg')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Traits' })).toHaveCount(0);
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save the work' }).click();
    expect((await saving).suggestedFilename()).toBe(file);
    await page.keyboard.press('Escape');
  }
});

test('a forged bundle shows in the browser which part is wrong', async ({ page }) => {
  const good = new TextDecoder().decode(writeBundle(sampleBundle()));
  const forged = (change: (bundle: ProofBundle) => Partial<ProofBundle>) => {
    const bundle = sampleBundle();
    return new TextDecoder().decode(writeBundle({ ...bundle, ...change(bundle) }));
  };
  const otherHash = (token: ProofBundle['tokens'][0]) => ({ ...token, sha256: '00'.repeat(32) });
  for (const [name, file, reason] of [
    ['content.html', forged(({ tokens }) => ({ tokens: tokens.map(otherHash) })), 'has another hash'],
    [
      'index.html',
      forged(({ transactions }) => ({ transactions: transactions.map((tx) => ({ ...tx, index: 2 })) })),
      'Merkle path',
    ],
    [
      'height.html',
      forged(({ blocks }) => ({ blocks: blocks.map((block) => ({ ...block, height: 7 })) })),
      'height of a block',
    ],
    ['twice.html', forged(({ tokens }) => ({ tokens: [...tokens, ...tokens] })), 'same output'],
    [
      'metadata.html',
      forged(({ tokens }) => ({
        tokens: tokens.map((token) => ({ ...token, metadata: { ...token.metadata, name: 'Sun' } })),
      })),
      'The metadata inscribed',
    ],
    ['cut.html', good.replace('"tokens":', '"tokens"'), 'Not valid'],
  ] as const) {
    await page.goto(saved(name, file));
    await expect(page.getByRole('status')).toContainText('Not valid');
    await expect(page.getByRole('status')).toContainText(reason);
    await expect(page.locator('main')).toBeEmpty();
  }
});

test('hostile content in a bundle runs no script and sends no request', async ({ page }) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const html = `<h1>Art</h1><script>top.document.title = 'run'; document.body.innerHTML = 'run'</script>
<img src="${url}/a" onerror="document.body.innerHTML = 'run'"><iframe src="${url}/b"></iframe><style>@import url(${url}/c);</style>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>fetch('${url}/d')</script><image href="${url}/e"/></svg>`;
  const shout = `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
  const hostile = {
    name: shout,
    description: shout,
    subType: 'collectionItem',
    artist: shout,
    royalties: JSON.stringify([{ destination: shout, percentage: shout }]),
    [shout]: shout,
    constructor: 'a',
    subTypeData: JSON.stringify({
      collectionId: shout,
      mintNumber: 'x',
      rank: { a: 1 },
      rarityLabel: shout,
      traits: [{ name: shout, value: shout, occurrencePercent: shout }, null, 7, { name: {}, value: [] }, 'text'],
    }),
  };
  const odd = {
    name: '\u202egpj.exe\u202c '.repeat(400),
    royalties: '{"not": "a list"}',
    subTypeData: '[1, null]',
    previewUrl: `${url}/f`,
  };
  const contents = [
    { contentType: 'text/html', content: new TextEncoder().encode(html), map: hostile },
    { contentType: 'image/svg+xml', content: new TextEncoder().encode(svg), map: odd },
    { contentType: 'text/plain', content: new TextEncoder().encode(`${shout}${url}`), map: { name: 'Text' } },
    { contentType: `image/png" onerror="x`, content: new Uint8Array(9), map: { name: 'Type' } },
  ];
  await page.goto(saved('hostile.html', writeBundle(bundleOf(contents))));
  await expect(page.getByRole('status').first()).toHaveText('Verified.');
  expect(await sideways(page)).toBe(0);
  await expectAccessible(page);
  const links = page.locator('.tile a');
  await expect(links).toHaveCount(4);
  for (let place = 0; place < 4; place++) {
    await links.nth(place).click();
    await page.getByText('Technical details').click();
    expect(await sideways(page)).toBe(0);
    await expect(page.locator('script:not(body > script), [onerror]')).toHaveCount(0);
    await page.getByRole('link', { name: 'All tokens' }).click();
  }
  await links.first().click();
  await expect(page.frameLocator('iframe').getByRole('heading', { name: 'Art' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(shout);
  await expect(page.getByText('Shown without its scripts.', { exact: false })).toBeVisible();
  expect(await page.title()).not.toBe('run');
  expect(asked).toEqual([]);
  server.closeAllConnections();
  server.close();
});
