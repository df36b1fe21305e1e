import { rmSync } from 'node:fs';
import { type ElectronApplication, expect, type Page, test } from '@playwright/test';
import type { Menu } from 'electron';
import { en as texts } from '../../src/main/shell/texts/en.ts';
import { noDesktop, openDesktop } from '../support/desktop.ts';
import { approveAndWait, buildMint, createProject } from '../support/studio.ts';

test.skip(noDesktop() !== undefined, noDesktop());

/** The tooltips that the tray received since it is watched, in the main process. */
type Watched = typeof globalThis & { toolTips: string[]; trayMenu: Menu | null };

let dataDir: string;
let application: ElectronApplication;
let page: Page;

async function open(set?: Readonly<Record<string, string>>): Promise<void> {
  ({ application, dataDir } = await openDesktop(set));
  page = await application.firstWindow();
  await expect(page.getByRole('navigation').first()).toBeVisible();
}

test.afterEach(async () => {
  await application?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The tray's state cannot be read, so writes to it are recorded. */
const watchTray = (): Promise<void> =>
  application.evaluate(({ Tray }) => {
    const watched = globalThis as Watched;
    watched.toolTips = [];
    watched.trayMenu = null;
    const { setToolTip, setContextMenu } = Tray.prototype;
    Tray.prototype.setToolTip = function (text) {
      watched.toolTips.push(text);
      setToolTip.call(this, text);
    };
    Tray.prototype.setContextMenu = function (menu) {
      watched.trayMenu = menu;
      setContextMenu.call(this, menu);
    };
  });
const toolTips = (): Promise<string[]> => application.evaluate(() => (globalThis as Watched).toolTips);
const pressInTray = (label: string): Promise<void> =>
  application.evaluate((_, wanted) => {
    (globalThis as Watched).trayMenu?.items.find((item) => item.label === wanted)?.click();
  }, label);
const isShown = (): Promise<boolean | undefined> =>
  application.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible());

test('the desktop application mints from file to proof, shows its state in the tray, and reopens from there', async () => {
  await open();
  await watchTray();
  await createProject(page, 'Desktop', ['copper-moon.png']);
  await buildMint(page);
  await approveAndWait(page);
  await expect.poll(toolTips).toContain(`${texts.appName}: ${texts.stateWorking}`);
  await expect.poll(async () => (await toolTips()).at(-1)).toBe(`${texts.appName}: ${texts.stateRunning}`);

  await application.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide());
  await expect.poll(isShown).toBe(false);
  await pressInTray(texts.openPlanchet);
  await expect.poll(isShown).toBe(true);

  await pressInTray(texts.lock);
  await expect.poll(async () => (await toolTips()).at(-1)).toBe(`${texts.appName}: ${texts.stateLocked}`);
});

test('the desktop application starts and shows its page without a network', async () => {
  // Nothing listens on these ports, as without a network.
  const nowhere = 'http://127.0.0.1:9';
  await open({ network: 'test', bitcoinRpcUrl: nowhere, baseUrl: nowhere, mapiUrl: nowhere });
  await application.evaluate(({ session }) => session.defaultSession.enableNetworkEmulation({ offline: true }));
  await page.reload();
  await expect(page.getByRole('navigation').first()).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(page.url()).toMatch(/^planchet:\/\/app\//);
});
