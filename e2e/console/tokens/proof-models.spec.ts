import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { writeBundle } from '../../../src/chain/bundle/index.ts';
import { bundleOf, sampleItem } from '../../../src/chain/bundle/test-support/collection.ts';
import { glbOf, TRIANGLE, triangle } from '../../../src/renderer/test-support/glb.ts';
import { middleOf } from '../../support/canvas.ts';
import { Firefox, firefoxPath } from '../../support/firefox.ts';
import { expect, expectAccessible, testWithoutHost as test } from '../../support/fixtures.ts';

let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-models-'));
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

const corners = new Float32Array([-1, -1, 0, 1, -1, 0, 0, 1, 0]);
const changed = (change: object) => glbOf({ ...TRIANGLE, ...change }, corners);

/** @returns the address of a file that proves these models, each named */
function saved(name: string, models: Readonly<Record<string, Uint8Array>>): string {
  const contents = Object.entries(models).map(([title, content]) => ({
    contentType: 'model/gltf-binary',
    content,
    map: { name: title },
  }));
  writeFileSync(join(folder, name), writeBundle(bundleOf(contents)));
  return pathToFileURL(join(folder, name)).href;
}

const drawing = (page: Page) => page.locator('.turned canvas');
/** A hash of the canvas. */
const bytesOf = async (page: Page) =>
  hash('sha256', await drawing(page).evaluate((one: HTMLCanvasElement) => one.toDataURL()));

test('a model in a proof bundle is drawn without a network, in a tile and large, and rotated by pointer and keys', async ({
  page,
  context,
}) => {
  await context.setOffline(true);
  await page.goto(saved('models.html', { Triangle: triangle(), Other: triangle() }));
  await expect.poll(() => middleOf(page.locator('.tile canvas').first())).toBe('orange');
  await page.getByRole('link', { name: 'Triangle' }).click();
  await expect.poll(() => middleOf(drawing(page))).toBe('orange');
  await expect(page.getByText('Drag it or use the arrow keys', { exact: false })).toBeVisible();
  await expectAccessible(page);
  const first = await bytesOf(page);
  await drawing(page).focus();
  await page.keyboard.press('ArrowRight');
  const turned = await bytesOf(page);
  expect(turned).not.toBe(first);
  await page.keyboard.press('+');
  const nearer = await bytesOf(page);
  expect(nearer).not.toBe(turned);
  await drawing(page).hover();
  await page.mouse.down();
  await page.mouse.move(400, 300);
  await page.mouse.up();
  expect(await bytesOf(page)).not.toBe(nearer);
  // The arrow keys rotated it, instead of opening the next token.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Triangle');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('2 tokens');
});

test('a model in a proof bundle is seen from above, and moves with the pointer and the keys', async ({ page }) => {
  // A floor: from below nothing of it is seen.
  const floor = new Float32Array([-1, 0, 1, 1, 0, 1, 0, 0, -1]);
  const accessors = [{ ...TRIANGLE.accessors[0], min: [-1, 0, -1], max: [1, 0, 1] }];
  const materials = [{ ...TRIANGLE.materials[0], doubleSided: false }];
  await page.goto(saved('floor.html', { Floor: glbOf({ ...TRIANGLE, accessors, materials }, floor) }));
  await expect.poll(() => middleOf(drawing(page))).toBe('orange');
  await drawing(page).focus();
  for (let times = 0; times < 3; times++) await page.keyboard.press('ArrowUp');
  expect(await middleOf(drawing(page))).toBe('nothing');
  await drawing(page).hover();
  await page.mouse.down();
  await page.mouse.move(640, 700);
  await page.mouse.up();
  expect(await middleOf(drawing(page))).toBe('orange');
});

test('an animated model in a proof bundle plays, except with reduced motion', async ({ page }) => {
  // Half a rotation about the z axis per second.
  const numbers = new Float32Array([...corners, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0]);
  const moving = glbOf(
    {
      ...TRIANGLE,
      accessors: [
        ...TRIANGLE.accessors,
        { bufferView: 1, componentType: 5126, count: 2, type: 'SCALAR' },
        { bufferView: 2, componentType: 5126, count: 2, type: 'VEC4' },
      ],
      bufferViews: [
        ...TRIANGLE.bufferViews,
        { buffer: 0, byteOffset: 36, byteLength: 8 },
        { buffer: 0, byteOffset: 44, byteLength: 32 },
      ],
      animations: [
        {
          channels: [{ sampler: 0, target: { node: 0, path: 'rotation' } }],
          samplers: [{ input: 1, output: 2 }],
        },
      ],
    },
    numbers,
  );
  const address = saved('moving.html', { Turning: moving });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto(address);
  await expect.poll(() => middleOf(drawing(page))).toBe('orange');
  const first = await bytesOf(page);
  await expect.poll(() => bytesOf(page)).not.toBe(first);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.reload();
  await expect.poll(() => middleOf(drawing(page))).toBe('orange');
  const still = await bytesOf(page);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await bytesOf(page)).toBe(still);
});

test('a model in a proof bundle that is broken, needs other files or is too large says so, sends no request and can be saved', async ({
  page,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => /^https?:/.test(request.url()) && asked.push(request.url()));
  const tower = Array.from({ length: 30 }, (_, index) => ({ children: [index + 1, index + 1] }));
  const parts = (count: number) => Array.from({ length: count }, () => ({ attributes: { POSITION: 0 }, material: 0 }));
  const refused = {
    'No model': new Uint8Array(2_000),
    'Other numbers': changed({ buffers: [{ byteLength: 36, uri: 'https://example.com/numbers.bin' }] }),
    'Other picture': changed({ images: [{ uri: 'https://example.com/pixel.png' }], textures: [{ source: 0 }] }),
    'Cut off': changed({ bufferViews: [{ buffer: 0, byteOffset: 12, byteLength: 36 }] }),
    'Too many corners': changed({ accessors: [{ ...TRIANGLE.accessors[0], count: 900_000_000 }] }),
    'Many parts': changed({
      nodes: Array.from({ length: 3_000 }, () => ({ mesh: 0 })),
      scenes: [{ nodes: Array.from({ length: 3_000 }, (_, at) => at) }],
      meshes: [{ primitives: parts(1_000) }],
    }),
    Compressed: changed({ extensionsRequired: ['KHR_draco_mesh_compression'] }),
    'No size': changed({ accessors: [{ ...TRIANGLE.accessors[0], min: [0, 0, 0], max: [0, 0, 0] }] }),
  };
  const drawn = {
    'A tower': changed({ nodes: [...tower, { mesh: 0 }] }),
    'A circle': changed({ nodes: [{ mesh: 0, children: [1] }, { children: [0] }] }),
  };
  await page.goto(saved('hostile.html', { ...refused, ...drawn }));
  for (const name of Object.keys(refused)) {
    await page.getByRole('link', { name }).click();
    await expect(page.getByText(/^A 3D model, .* This page has no player for it/)).toBeVisible();
    await expect(page.getByRole('link', { name: 'Save the work' })).toBeVisible();
    await page.keyboard.press('Escape');
  }
  for (const name of Object.keys(drawn)) {
    await page.getByRole('link', { name }).click();
    await expect.poll(() => middleOf(drawing(page))).toBe('orange');
    await page.keyboard.press('Escape');
  }
  expect(asked).toEqual([]);
});

test.describe('a proof bundle in Firefox', () => {
  test.skip(firefoxPath === undefined, 'Firefox is not installed');
  test('opens without a network, verifies itself and draws a picture and a model', async () => {
    test.slow();
    const browser = await Firefox.open();
    try {
      const address = join(folder, 'firefox.html');
      const model = { contentType: 'model/gltf-binary', content: triangle(), map: { name: 'Triangle' } };
      writeFileSync(address, writeBundle(bundleOf([sampleItem(1, `${'ab'.repeat(32)}_0`, 200), model])));
      await browser.goTo(pathToFileURL(address).href);
      await expect.poll(() => browser.run('return document.body.dataset.done')).toBe('true');
      expect(await browser.run('return navigator.onLine')).toBe(false);
      expect(await browser.run('return document.getElementById("verdict").textContent')).toBe('Verified.');
      await expect.poll(() => browser.run('return document.querySelector(".tile img").naturalWidth > 0')).toBe(true);
      await browser.run('location.hash = document.querySelectorAll(".tile a")[1].hash');
      const middle = `const canvas = document.querySelector('.turned canvas');
        return canvas ? [...canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data] : [];`;
      // red more than green, and green more than blue: the orange of the triangle
      await expect
        .poll(async () => {
          const [red = 0, green = 0, blue = 0, alpha = 0] = await browser.run<number[]>(middle);
          return alpha === 255 && red > green && green > blue;
        })
        .toBe(true);
      if (process.env.PLANCHET_SHOTS === '1') {
        writeFileSync('e2e/screenshots/proof-firefox.png', await browser.picture());
      }
    } finally {
      await browser.close();
    }
  });
});
