import type { BrowserWindowConstructorOptions } from 'electron';
import { texts } from './texts.ts';

/**
 * Options of the one window. Electron's own defaults are spelled out too, so that a change of theirs changes nothing here.
 * @param development devTools exist only then
 */
export function windowOptions({
  preload,
  development,
}: {
  preload: string;
  development: boolean;
}): BrowserWindowConstructorOptions {
  return {
    title: texts.appName,
    width: 1280,
    height: 800,
    minWidth: 900,
    minHeight: 600,
    show: false,
    backgroundColor: '#191715',
    autoHideMenuBar: true,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      safeDialogs: true,
      // Its dictionaries are downloaded.
      spellcheck: false,
      devTools: development,
    },
  };
}
