import type * as Electron from 'electron';

/** The parts of Electron the shell uses. They are handed in, so that everything but the entry runs, and is tested, without Electron. */
export type ElectronApi = Pick<
  typeof Electron,
  | 'app'
  | 'BrowserWindow'
  | 'dialog'
  | 'ipcMain'
  | 'Menu'
  | 'MessageChannelMain'
  | 'powerMonitor'
  | 'powerSaveBlocker'
  | 'protocol'
  | 'safeStorage'
  | 'session'
  | 'shell'
>;
