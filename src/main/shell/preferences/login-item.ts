import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appImageOf } from '../app-image.ts';
import type { ElectronApi } from '../electron-api.ts';

export interface LoginItemOptions {
  readonly electron: Pick<ElectronApi, 'app'>;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly executable: string;
}

/** Turns the start at login on or off. The window then stays in the tray. */
export function setLoginItem(enabled: boolean, { electron, platform, env, executable }: LoginItemOptions): void {
  if (platform !== 'linux') {
    electron.app.setLoginItemSettings({ openAtLogin: enabled, args: ['--hidden'] });
    return;
  }
  // Electron has nothing for Linux; desktops read entries of this folder.
  const home = env.HOME ?? '';
  const folder = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'autostart');
  const file = join(folder, 'planchet.desktop');
  if (!enabled) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(folder, { recursive: true });
  // An AppImage runs from a folder that is gone at the next login.
  const program = appImageOf(executable, env) ?? executable;
  writeFileSync(
    file,
    `[Desktop Entry]\nType=Application\nName=Planchet\nExec=${quoted(program)} --hidden\nTerminal=false\n`,
    { mode: 0o644 },
  );
}

/** An argument as the desktop entry specification quotes it: first the rules of `Exec`, then those of a text value. */
function quoted(text: string): string {
  const inner = text
    .replace(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%');
  return `"${inner}"`;
}
