import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import type { Page } from '@playwright/test';
import { type Entry, open, type ZipFile } from 'yauzl';
import { drawing } from '../../../src/chain/bundle/test-support/collection.ts';
import { triangle } from '../../../src/renderer/test-support/glb.ts';
import { middleOf } from '../../support/canvas.ts';
import { checkView } from '../../support/check-view.ts';
import { runCli } from '../../support/cli.ts';
import { expect, expectAccessible, testWithOwnHost as test } from '../../support/fixtures.ts';
import { approveAndWait, buildMint, createProject, goTo } from '../../support/studio.ts';

let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-published-'));
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

const types: Record<string, string> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  json: 'application/json',
  webp: 'image/webp',
  xml: 'application/atom+xml',
};

/** A minimal web server: files, with a type by their extension. */
async function serve(asked: string[]) {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '', 'http://x').pathname).replace(/\/$/, '/index.html');
    asked.push(path);
    try {
      const content = await readFile(join(folder, path));
      response.setHeader('content-type', types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream');
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

async function look(page: Page, name: string): Promise<void> {
  if (process.env.PLANCHET_SHOTS !== '1') return;
  for (const [scheme, width, height] of [
    ['light', 1280, 800],
    ['dark', 1024, 640],
    ['light', 390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: `e2e/screenshots/published-${name}-${scheme}-${width}.png` });
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

const longName = `walk 6 ${'along the shore and back over the hills '.repeat(2)}#6`;
const hostile = `"><img src=x onerror="document.title='run'"></script><script>document.title='run'</script>`;

test('a published folder works from a file and from a web server, sends no other request, and links to its proofs', async ({
  host,
  page,
}) => {
  const art = join(folder, 'source');
  mkdirSync(art);
  const files = Array.from({ length: 9 }, (_, n) => {
    const name = { 0: 'cover "><img src=x onerror=alert(1)>', 6: longName, 7: 'W'.repeat(115) }[n] ?? `walk ${n}`;
    const path = join(art, `${name}.svg`);
    writeFileSync(path, drawing(n, n === 0));
    return path;
  });
  const html = `<style>h1 { color: rgb(1, 2, 3) }</style><h1>Art</h1><script>top.document.title = 'run'</script>`;
  writeFileSync(join(art, 'page.html'), html);
  writeFileSync(join(art, 'shape.glb'), triangle());
  await runCli(
    host.ready.dataDir,
    'mint',
    ...files,
    join(art, 'page.html'),
    join(art, 'shape.glb'),
    '--collection',
    hostile,
    '--trait',
    `${hostile}=a`,
    '--trait',
    'Sky=Dusk',
    '--wait',
    'mined',
  );
  await runCli(
    host.ready.dataDir,
    'publish',
    '--project',
    hostile,
    '--out',
    join(folder, 'site'),
    '--base-url',
    'https://walks.example',
  );

  const client = host.client();
  const [walk] = (await client.tokens.list({ text: 'walk 1' })).tokens;
  const { claims } = await client.tokens.get({ outpoint: walk?.outpoint ?? '' });
  expect(claims.collection).toEqual({ outpoint: walk?.collectionId, name: expect.stringContaining('<img src=x') });
  expect(claims.traits).toContainEqual({ name: 'Sky', value: 'Dusk', share: null });

  const origin = walk?.origin ?? '';
  expect(await client.tokens.publishing.link({ origin })).toEqual({ url: 'https://walks.example/token/0001.html' });
  const projectUid = walk?.projectUid ?? '';
  await client.tokens.publishing.setAddress({ projectUid, baseUrl: 'https://else.example/walks' });
  expect(await client.tokens.publishing.link({ origin })).toEqual({
    url: 'https://else.example/walks/token/0001.html',
  });
  expect(await client.tokens.publishing.link({ origin: walk?.collectionId ?? '' })).toEqual({
    url: 'https://else.example/walks/index.html',
  });
  await client.tokens.publishing.setAddress({ projectUid, baseUrl: null });
  expect(await client.tokens.publishing.link({ origin })).toEqual({ url: null });

  const asked: string[] = [];
  const { url, server } = await serve(asked);
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(?:file|data|blob|about):/.test(request.url()))
      problems.push(request.url());
  });
  for (const root of [pathToFileURL(`${folder}/site/`).href, `${url}site/`]) {
    await page.goto(`${root}index.html`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('<img src=x onerror=alert(1)>');
    const tiles = page.locator('.tile');
    await expect(tiles).toHaveCount(10);
    const picture = tiles.first().locator('img');
    await expect.poll(() => picture.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(320);
    await tiles.last().scrollIntoViewIfNeeded();
    await expect.poll(() => middleOf(tiles.last().locator('canvas'))).toBe('orange');
    // The pages are equal in both places, so their appearance is checked in one.
    const looks = root.startsWith('http');
    if (looks) await expectAccessible(page);
    if (looks) await look(page, 'index');
    await page.getByRole('link', { name: 'walk 3' }).click();
    await expect(page).toHaveURL(/token\/0003\.html$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('walk 3');
    await expect(page.getByRole('listitem').filter({ hasText: 'Dusk' })).toHaveText('SkyDusk10 of 10');
    if (looks) await expectAccessible(page);
    if (looks) await look(page, 'token');
    await page.keyboard.press('ArrowRight');
    await expect(page).toHaveURL(/token\/0004\.html$/);
    await expect(page.getByText('Inscribed in block', { exact: false })).toBeVisible();
    await page.getByRole('link', { name: 'Verify it in this browser' }).click();
    await expect(page.getByRole('status').first()).toHaveText('Verified.');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('walk 4');
    const longNames = [
      ['0006', longName],
      ['0007', 'W'.repeat(115)],
    ];
    for (const [number, name] of looks ? longNames : []) {
      await page.goto(`${root}token/${number}.html`);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(name as string);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      await look(page, `name-${number}`);
    }
    await page.goto(`${root}token/0009.html`);
    await expect(page.frameLocator('iframe').getByRole('heading', { name: 'Art' })).toHaveCSS('color', 'rgb(1, 2, 3)');
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save the work' }).click();
    const kept = await saving;
    expect(kept.suggestedFilename()).toBe('page.html');
    expect(await readFile(await kept.path(), 'utf8')).toBe(html);
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await expect(page.locator('main details:not([open])')).toHaveCount(0);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await expect(page.locator('main details:not([open])')).toHaveCount(1);
    expect(await page.title()).not.toBe('run');
    await expect(page.locator('[onerror]')).toHaveCount(0);
    await page.goto(`${root}token/0010.html`);
    await expect.poll(() => middleOf(page.locator('.turned canvas'))).toBe('orange');
    if (looks) await look(page, 'model');
  }
  // Frames without permissions refuse their scripts, and the policy refuses the style sheet of axe. Both are reported as errors.
  expect(problems.filter((problem) => !/about:srcdoc|style\.css' violates/.test(problem))).toEqual([]);
  server.closeAllConnections();
  server.close();
});

test('the page makes the same published folder as a zip file, shows the progress, and can be stopped', {
  tag: '@long',
}, async ({ app }) => {
  await createProject(app, 'Zipped', ['haiku.txt', 'copper-moon.png']);
  await expect(app.getByText('Haiku').first()).toBeVisible();
  await expect(app.getByRole('button', { name: 'Publish' })).toHaveCount(0);
  await buildMint(app);
  await approveAndWait(app);
  await app.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copyLink = async () => {
    await goTo(app, '/tokens');
    await app.getByText('Haiku').first().click();
    await app.getByRole('button', { name: 'More' }).click();
    await app.getByRole('menuitem', { name: 'Copy link' }).click();
  };
  await copyLink();
  await expect(app.getByRole('status').filter({ hasText: 'A link needs a page on the web' })).toBeVisible();
  await checkView(app, 'token-without-link');
  await app.getByRole('link', { name: 'Open the project' }).click();
  await app.getByRole('button', { name: 'Publish' }).click();
  const dialog = app.getByRole('dialog', { name: 'Publish Zipped' });
  const address = dialog.getByRole('textbox');
  await address.fill('javascript:alert(1)');
  await expect(dialog.getByText('Enter a whole address')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Make the zip file' })).toBeDisabled();
  await address.fill('https://moons.example/');
  await checkView(app, 'project-publish');
  const saving = app.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Make the zip file' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe('Zipped.zip');
  await expect(dialog.getByRole('status')).toHaveText(/Saved Zipped.zip with 3 pages/);
  await checkView(app, 'project-published');
  const files = await unzipped(await saved.path());
  // The order in which the two files are read is not defined.
  const names = [...files.keys()].map((name) => name.replace(/^(art|token)\/000[12]/, '$1/n'));
  expect(names.sort()).toEqual([
    '_metadata.json',
    'art/n-1600.webp',
    'art/n-320.webp',
    'art/n-800.webp',
    'art/n.png',
    'collection.json',
    'feed.xml',
    'index.html',
    'page.js',
    expect.stringMatching(/^proof\/[0-9a-f]{64}\.html$/),
    'style.css',
    'token/n.html',
    'token/n.html',
    'token/n.json',
    'token/n.json',
  ]);
  const pages = ['0001', '0002'].map((number) => files.get(`token/${number}.html`)?.toString() ?? '').join('');
  expect(pages).toMatch(/https:\/\/moons\.example\/art\/000\d-1600\.webp/);

  await app.keyboard.press('Escape');
  await copyLink();
  await expect
    .poll(() => app.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^https:\/\/moons\.example\/token\/000[12]\.html$/);
  await goTo(app, '/projects');
  await app.getByRole('link', { name: 'Zipped' }).first().click();
  await app.getByRole('button', { name: 'Publish' }).click();
  await expect(address).toHaveValue('https://moons.example/');
  await address.fill('https://suns.example');
  await dialog.getByRole('button', { name: 'Keep address' }).click();
  await expect(dialog.getByRole('button', { name: 'Keep address' })).toHaveCount(0);

  // The second one waits for its first part.
  await app.route('**/tokens/publishing/part', () => undefined);
  await dialog.getByRole('button', { name: 'Make the zip file' }).click();
  await expect(dialog.getByText(/^0 of \d parts/)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Making the pages…' })).toBeDisabled();
  await checkView(app, 'project-publishing');
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await expect(dialog.getByText('Stopped. Nothing was saved.')).toBeVisible();
});

/** The files of a zip, each checked against its checksum by an independent reader. */
async function unzipped(path: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const zip = await promisify<string, ZipFile>((name, done) => open(name, { autoClose: false }, done))(path);
  const entries: Entry[] = [];
  zip.on('entry', (entry) => entries.push(entry));
  await once(zip, 'end');
  for (const entry of entries) {
    const stream = await promisify<Entry, Readable>((each, done) => zip.openReadStream(each, done))(entry);
    const content = Buffer.concat(await stream.toArray());
    expect(crc32(content)).toBe(entry.crc32);
    files.set(entry.fileName, content);
  }
  zip.close();
  return files;
}
