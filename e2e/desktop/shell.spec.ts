import { rmSync } from 'node:fs';
import { type ElectronApplication, expect, type Page, test } from '@playwright/test';
import { noDesktop, openDesktop } from '../support/desktop.ts';

test.skip(noDesktop() !== undefined, noDesktop());

let dataDir: string;
let application: ElectronApplication;
let page: Page;

test.beforeEach(async () => {
  ({ application, dataDir } = await openDesktop());
  page = await application.firstWindow();
  await expect(page.getByRole('navigation').first()).toBeVisible();
});

test.afterEach(async () => {
  await application?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('a second instance of the desktop application passes its link to the first and exits', async () => {
  // The second instance exits before it opens a window, so Playwright cannot control it.
  const second = application.evaluate(
    ({ app }) => new Promise<string[]>((resolve) => app.once('second-instance', (_event, argv) => resolve(argv))),
  );
  await openDesktop({}, { dataDir, args: ['planchet://open/wallet'] }).catch(() => {});
  expect((await second).at(-1)).toBe('planchet://open/wallet');
  await expect.poll(() => page.url()).toMatch(/#\/wallet$/);
  expect(application.windows()).toHaveLength(1);
});

test('the desktop application opens the view of a link, and refuses other addresses', async () => {
  const open = (link: string) =>
    application.evaluate(({ app }, url) => void app.emit('second-instance', {}, ['planchet', url]), link);
  await open('planchet://open/tokens');
  await expect.poll(() => page.url()).toMatch(/#\/tokens$/);
  await open('planchet://open/wallet/send');
  expect(page.url()).toMatch(/#\/tokens$/);
});

test('the desktop application keeps running when its page crashes, and reloads it on demand', async () => {
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

test('the desktop application runs its services in a separate process', async () => {
  const names = await application.evaluate(({ app }) => app.getAppMetrics().map(({ name }) => name));
  expect(names).toContain('Planchet services');
});
