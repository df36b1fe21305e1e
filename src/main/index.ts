import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as electron from 'electron';
import ElectronStore from 'electron-store';
import { utilityHosts } from './shell/host/utility-host.ts';
import { preferenceOptions } from './shell/preferences/preferences.ts';
import { DesktopShell } from './shell/shell.ts';
import { version } from './version.ts';

const beside = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const desktop = new DesktopShell({
  electron,
  openHost: utilityHosts({ electron, entry: beside('host-process.js'), pictures: beside('picture-process.js') }),
  openPreferences: (cwd) => new ElectronStore({ ...preferenceOptions(version), cwd, name: 'shell' }),
  openUpdater: async () => {
    // Written by the packer where an address of updates was set.
    if (!existsSync(join(process.resourcesPath, 'app-update.yml'))) return null;
    return (await import('electron-updater')).default.autoUpdater;
  },
  version,
  // Run from a folder, the first argument names it.
  args: process.argv.slice(electron.app.isPackaged ? 1 : 2),
  executable: process.execPath,
  env: process.env,
  platform: process.platform,
  rendererDir: beside('../renderer'),
  preload: beside('../preload/index.cjs'),
  icons: beside('../../resources/tray'),
  startProgram: (path, args) => spawn(path, args, { detached: true, stdio: 'ignore' }).unref(),
  onSignal: (listener) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, listener);
  },
});
void desktop.run();
