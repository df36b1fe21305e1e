import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication, expect, type Page, test } from '@playwright/test';
import { electronBinary, hasDisplay } from '../../scripts/electron-binary.ts';
import { root } from '../../scripts/paths.ts';
import { freePorts } from '../support/host.ts';

const executablePath = electronBinary();
test.skip(
  executablePath === undefined,
  "Electron's program is not in node_modules/electron: it is fetched on the first use.",
);
test.skip(!hasDisplay(), 'There is no display to open a window on.');

let dataDir: string;
let settings: string[];
let application: ElectronApplication;
let page: Page;

const launch = (more: readonly string[] = []): Promise<ElectronApplication> =>
  _electron.launch({
    executablePath: executablePath as string,
    args: [root, '--data-dir', dataDir, ...settings, ...more],
  });

test.beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-desktop-'));
  settings = Object.entries(freePorts).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  application = await launch();
  page = await application.firstWindow();
  await expect(page.getByRole('navigation').first()).toBeVisible();
});

test.afterEach(async () => {
  await application?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('hands the link of a second instance to the first, and ends it', async () => {
  // The second one exits before it opens a window, so it is no application to drive.
  const second = application.evaluate(
    ({ app }) => new Promise<string[]>((resolve) => app.once('second-instance', (_event, argv) => resolve(argv))),
  );
  await launch(['planchet://open/wallet']).catch(() => {});
  expect((await second).at(-1)).toBe('planchet://open/wallet');
  await expect.poll(() => page.url()).toMatch(/#\/wallet$/);
  expect(application.windows()).toHaveLength(1);
});

test('opens the view of a link, and refuses what is none', async () => {
  const open = (link: string) =>
    application.evaluate(({ app }, url) => void app.emit('second-instance', {}, ['planchet', url]), link);
  await open('planchet://open/tokens');
  await expect.poll(() => page.url()).toMatch(/#\/tokens$/);
  await open('planchet://open/wallet/send');
  expect(page.url()).toMatch(/#\/tokens$/);
});

test('goes on without its page, which is loaded anew on demand', async () => {
  await application.evaluate(({ dialog }) => {
    dialog.showMessageBox = async () => ({ response: 0, checkboxChecked: false });
  });
  await application.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
  );
  await expect
    .poll(() =>
      application.evaluate(async ({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript("document.querySelector('nav') !== null"),
      ),
    )
    .toBe(true);
});

test('runs its services in a process of their own', async () => {
  const names = await application.evaluate(({ app }) => app.getAppMetrics().map(({ name }) => name));
  expect(names).toContain('Planchet services');
});
