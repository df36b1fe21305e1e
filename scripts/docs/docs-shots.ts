/**
 * `npm run docs:shots` takes screenshots of every view of the page: with content, in a fresh installation, while a run waits for its block,
 * and while the sandbox answers every request with an error. `npm run docs:shots -- wallet` takes those whose name contains a word, `--out <folder>` sets the folder, `--locale de-DE`
 * the language (dialogs are opened by their English names, so only views are taken in another one). The views come from the manifests of
 * the features, so that none is forgotten. The screenshots are for people; the documents use some of them.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { launchOptions } from '../../e2e/support/browser.ts';
import { type RunningHost, startHost } from '../../e2e/support/host.ts';
import { loadView, openHost } from '../../e2e/support/open.ts';
import { type Content, fillHost } from '../../e2e/support/scenes/content.ts';
import { dialogs } from '../../e2e/support/scenes/dialogs.ts';
import { emptyViews, viewsOf } from '../../e2e/support/scenes/views.ts';
import { goTo } from '../../e2e/support/studio.ts';
import { buildIfStale } from '../build.ts';
import { root } from '../paths.ts';
import { manifestViews } from './manifest-views.ts';

const sizes = [
  { width: 1280, height: 800, schemes: ['light', 'dark'] },
  { width: 1920, height: 1080, schemes: ['light'] },
  { width: 1024, height: 640, schemes: ['light'] },
] as const;
const SETTLE_MS = 3_000;
const READY_MS = 20_000;
/** Not set by the command line, since it is turned off for the screenshots of waiting runs. */
const MINING = 'sandbox.mineOnArrival';

const named = process.argv.slice(2);
const out = option('--out') ?? join(root, 'docs', 'images', 'shots');
const locale = option('--locale') ?? 'en-US';
const failures: string[] = [];

/** Removes an option and its value from the arguments. */
function option(name: string): string | undefined {
  const at = named.indexOf(name);
  return at < 0 ? undefined : named.splice(at, 2)[1];
}

function wanted(name: string): boolean {
  return named.length === 0 || named.some((word) => name.includes(word));
}

/** Waits until nothing on the page is loading. A view that keeps loading is captured as it is. */
async function settle(page: Page): Promise<void> {
  const quiet = async (): Promise<void> => {
    await page
      .getByRole('main')
      .locator('.mantine-Skeleton-root')
      .first()
      .waitFor({ state: 'detached', timeout: SETTLE_MS });
    await page.evaluate(async () => {
      await document.fonts.ready;
      await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
      for (let frame = 0; frame < 4; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    });
  };
  await quiet().catch(() => undefined);
}

async function take(page: Page, name: string): Promise<void> {
  for (const { width, height, schemes } of sizes) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await settle(page);
      await page.screenshot({ path: join(out, `${name}-${width}-${colorScheme}.png`), animations: 'disabled' });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function takeViews(page: Page, views: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, path] of Object.entries(views)) {
    if (!wanted(name)) continue;
    await goTo(page, path);
    await take(page, name);
  }
}

async function takeDialogs(page: Page, content: Content): Promise<void> {
  for (const { name, path, open, close } of dialogs(content, host)) {
    if (!wanted(name)) continue;
    try {
      await loadView(page, origin, path);
      await settle(page);
      await open(page);
      await take(page, name);
    } catch (error) {
      failures.push(`${name}: ${String(error)}`);
    }
    await close?.();
  }
}

let origin = '';

/** Views to open while a run waits for its block. */
function busyViews({ openRunId, drafts }: Content): Readonly<Record<string, string>> {
  return {
    'dashboard-busy': '/',
    'run-busy': `/runs/${openRunId}`,
    'jobs-busy': '/jobs',
    'mempool-busy': '/explorer/mempool',
    'sandbox-busy': '/sandbox',
    'wallet-busy': '/wallet',
    'project-busy': `/projects/${drafts}`,
  };
}

/** Mints the drafts that wait for an approval while nothing is mined. */
async function makeBusy(client: ReturnType<RunningHost['client']>, { openRunId: id }: Content): Promise<void> {
  await client.settings.set({ key: MINING, value: '' });
  const { run } = await client.runs.get({ id });
  await client.runs.approve({ id, digest: run.digest });
}

async function login(page: Page, host: RunningHost): Promise<void> {
  await openHost(page, host);
  origin = new URL(page.url()).origin;
}

buildIfStale();
mkdirSync(out, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'planchet-shots-'));
const host = await startHost();
await host.client().settings.set({ key: MINING, value: '500ms' });
const browser = await chromium.launch(launchOptions());
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale });
  page.setDefaultTimeout(READY_MS);
  await login(page, host);
  await takeViews(page, emptyViews());
  const content = await fillHost(host, folder);
  const usual = viewsOf(content);
  const missing = (await manifestViews()).filter((path) => usual[path] === undefined);
  if (missing.length > 0) throw new Error(`e2e/support/scenes/views.ts lacks ${missing.join(', ')}.`);
  for (const views of Object.values(usual)) await takeViews(page, views);
  if (locale.startsWith('en')) await takeDialogs(page, content);
  await makeBusy(host.client(), content);
  await takeViews(page, busyViews(content));
  await host.client().sandbox.faults.set({ name: 'http-error', value: 503 });
  await page.reload();
  for (const views of Object.values(usual)) {
    const [first] = Object.entries(views).map(([name, path]) => [`${name}-failed`, path] as const);
    if (first !== undefined) await takeViews(page, Object.fromEntries([first]));
  }
} finally {
  await browser.close();
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
console.log(`The pictures are in ${out}.`);
process.exitCode = failures.length === 0 ? 0 : 1;
