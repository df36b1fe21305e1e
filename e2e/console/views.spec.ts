import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from '../support/fixtures.ts';
import { approveAndWait, buildMint, createProject, goTo } from '../support/studio.ts';

/** With PLANCHET_SHOTS=1 every view is photographed into this folder, for people to look at. */
const shots = process.env.PLANCHET_SHOTS === '1' ? fileURLToPath(new URL('../screenshots/', import.meta.url)) : null;

/** The smallest window there is, and the usual one; photographs are taken in a large one as well. */
const sizes = [
  { width: 1280, height: 800 },
  ...(shots === null ? [] : [{ width: 1920, height: 1080 }]),
  { width: 1024, height: 640 },
];

test.describe.configure({ mode: 'parallel', timeout: 240_000 });

/** Looks at what is open in both schemes and all sizes: nothing scrolls sideways, and everybody can use it. */
async function look(app: Page, name: string): Promise<void> {
  const main = app.getByRole('main');
  await expect(app.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(main.getByRole('status', { name: 'Loading…' })).toHaveCount(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await app.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(app.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
    for (const size of sizes) {
      await app.setViewportSize(size);
      const beside = (): Promise<number> =>
        app.evaluate(() => {
          const { documentElement: page } = document;
          const content = document.querySelector('main') as HTMLElement;
          return Math.max(page.scrollWidth - page.clientWidth, content.scrollWidth - content.clientWidth);
        });
      await expect.poll(beside, `${name} scrolls sideways at ${size.width}`).toBeLessThanOrEqual(0);
      if (shots !== null) await app.screenshot({ path: `${shots}${name}-${size.width}-${colorScheme}.png` });
    }
    await expectAccessible(app);
  }
  await app.setViewportSize({ width: 1280, height: 800 });
}

async function lookAll(app: Page, paths: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, path] of Object.entries(paths)) {
    await goTo(app, path);
    await look(app, name);
  }
}

test('what is empty at first', async ({ app }) => {
  await lookAll(app, { 'dashboard-empty': '/', 'projects-empty': '/projects', 'jobs-empty': '/jobs' });
  await lookAll(app, { 'token-bench-empty': '/token-bench', 'token-design': '/token-bench/new' });
  await lookAll(app, { 'not-found': '/no-such-page' });
});

test('a mint from its files to its transaction', async ({ app }) => {
  const here = (): string => app.url().split('#')[1] as string;
  await createProject(app, 'Gallery', ['copper-moon.png', 'tide.svg', 'haiku.txt']);
  for (const name of ['Copper moon', 'Tide', 'Haiku']) await expect(app.getByText(name).first()).toBeVisible();
  const project = here();
  await buildMint(app);
  await look(app, 'review');
  await approveAndWait(app);
  await look(app, 'minted');
  const tx = await app.getByRole('link', { name: 'Open the transaction' }).getAttribute('href');
  await goTo(app, tx?.replace(/^.*#/, '') as string);
  await app.getByRole('button', { name: 'Verify' }).click();
  await expect(app.getByText(/^Proven:/)).toBeVisible();
  await look(app, 'transaction');
  await lookAll(app, { dashboard: '/', projects: '/projects', project, jobs: '/jobs' });
  await goTo(app, '/projects');
  await app.locator('label').filter({ hasText: 'Table' }).click();
  await app.getByRole('checkbox', { name: 'Select all rows' }).check();
  await look(app, 'projects-table');
});

test('the gateway and the explorer', async ({ app }) => {
  await goTo(app, '/gateway/connect');
  await app.getByRole('button', { name: 'Test the connection' }).click();
  await expect(app.getByRole('group', { name: 'This gateway' })).toBeVisible();
  await look(app, 'gateway-connect');
  await lookAll(app, { 'gateway-console': '/gateway/console', 'gateway-traffic': '/gateway/traffic' });
  await lookAll(app, { 'gateway-zmq': '/gateway/zmq', 'gateway-keys': '/gateway/keys' });
  await lookAll(app, { explorer: '/explorer', mempool: '/explorer/mempool' });
  await lookAll(app, { address: '/explorer/address/mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn' });
});

test('the settings, the sandbox and the data writer', async ({ app }) => {
  await lookAll(app, { settings: '/settings', sandbox: '/sandbox', writer: '/writer' });
  await lookAll(app, { 'writer-documents': '/writer/documents', 'writer-dead': '/writer/dead' });
  await lookAll(app, { 'writer-keys': '/writer/keys', 'writer-try': '/writer/try' });
});
