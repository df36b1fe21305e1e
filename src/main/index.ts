import { fileURLToPath } from 'node:url';
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  MessageChannelMain,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  safeStorage,
  session,
  shell,
} from 'electron';
import { DesktopShell } from './shell/shell.ts';
import { version } from './version.ts';

const beside = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const desktop = new DesktopShell({
  electron: {
    app,
    BrowserWindow,
    dialog,
    ipcMain,
    Menu,
    MessageChannelMain,
    powerMonitor,
    powerSaveBlocker,
    protocol,
    safeStorage,
    session,
    shell,
  },
  loadHost: () => import('./host/host.ts'),
  version,
  // Run from a folder, the first argument names it.
  args: process.argv.slice(app.isPackaged ? 1 : 2),
  env: process.env,
  platform: process.platform,
  rendererDir: beside('../renderer'),
  preload: beside('../preload/index.cjs'),
  onSignal: (listener) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, listener);
  },
});
void desktop.run();
