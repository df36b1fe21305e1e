import type { ElectronApi } from './electron-api.ts';
import type { OpenHost } from './host/host-link.ts';
import type { PreferenceStore } from './preferences/preferences.ts';
import type { Updater } from './updates/updates.ts';

export interface ShellOptions {
  electron: ElectronApi;
  openHost: OpenHost;
  /** Opens what the shell remembers. @param folder where Electron stores the window's own data */
  openPreferences: (folder: string) => PreferenceStore;
  version: string;
  /** What replaces the program by a newer one; null where the package cannot. */
  openUpdater: () => Promise<Updater | null>;
  /** Calls `run` once after `ms` milliseconds. @returns cancels the timer */
  after?: (ms: number, run: () => void) => () => void;
  /** Arguments without the program's name. */
  args: readonly string[];
  executable: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  rendererDir: string;
  preload: string;
  /** Folder of the tray's icons. */
  icons: string;
  /** Starts a program that outlives this one. */
  startProgram: (path: string, args: readonly string[]) => void;
  /** Called when the operating system asks the application to quit. */
  onSignal: (listener: () => void) => void;
  stopLimitMs?: number;
}
