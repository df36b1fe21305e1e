import { rmSync } from 'node:fs';
import { type ElectronApplication, expect, type Page, test } from '@playwright/test';
import { noDesktop, openDesktop } from '../support/desktop.ts';

test.skip(noDesktop() !== undefined, noDesktop());

let dataDir: string;
let application: ElectronApplication;
let page: Page;

test.beforeAll(async () => {
  ({ application, dataDir } = await openDesktop());
  page = await application.firstWindow();
});

test.afterAll(async () => {
  await application?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('the window shows the application, from its own origin, over its port', async () => {
  await expect(page.getByRole('navigation').first()).toBeVisible();
  expect(page.url()).toMatch(/^planchet:\/\/app\//);
  await expect(page.getByText('sandbox', { exact: false }).first()).toBeVisible();
});

test('the window gives the page no access to Node or Electron', async () => {
  const found = await page.evaluate(() =>
    ['require', 'process', 'Buffer', 'electron', 'ipcRenderer'].filter((name) => name in window),
  );
  expect(found).toEqual([]);
});

test('the window does not navigate away, opens no other window, and blocks requests to other hosts', async () => {
  const before = page.url();
  await page.evaluate(() => {
    location.href = 'https://example.org/';
  });
  expect(await page.evaluate(() => window.open('file:///etc/passwd'))).toBeNull();
  const request = await page.evaluate(() =>
    fetch('http://127.0.0.1:9/').then(
      () => 'answered',
      () => 'refused',
    ),
  );
  expect(request).toBe('refused');
  expect(page.url()).toBe(before);
  expect(application.windows()).toHaveLength(1);
});

test('the window denies all permissions that the page could request', async () => {
  const states = await page.evaluate(async () => {
    const names = ['geolocation', 'notifications', 'clipboard-read'] as unknown as PermissionName[];
    return Promise.all(names.map(async (name) => (await navigator.permissions.query({ name })).state));
  });
  expect(states).not.toContain('granted');
});

test('the window shows the application again after a reload of the page', async () => {
  await page.reload();
  await expect(page.getByRole('navigation').first()).toBeVisible();
});
