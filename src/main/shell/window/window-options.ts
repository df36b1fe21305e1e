import type { BrowserWindowConstructorOptions, Rectangle } from 'electron';
import { minimumSize } from '../preferences/window-state.ts';

/**
 * Options of the one window. Electron's own defaults are spelled out too, so that a change of theirs changes nothing here.
 * @param development devTools exist only then
 * @param place bounds on the screens there are
 */
export function windowOptions({
  preload,
  development,
  place,
  title,
}: {
  preload: string;
  development: boolean;
  place: Partial<Rectangle>;
  title: string;
}): BrowserWindowConstructorOptions {
  return {
    title,
    ...place,
    minWidth: minimumSize.width,
    minHeight: minimumSize.height,
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
