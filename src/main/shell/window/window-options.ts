import type { BrowserWindowConstructorOptions, Rectangle } from 'electron';
import { minimumSize } from '../preferences/window-state.ts';

interface WindowFacts {
  preload: string;
  /** devTools exist only then. */
  development: boolean;
  /** Bounds on the screens there are. */
  place: Partial<Rectangle>;
  title: string;
}

/** Options of the one window. Electron's own defaults are spelled out too, so that a change of theirs changes nothing here. */
export function windowOptions({ preload, development, place, title }: WindowFacts): BrowserWindowConstructorOptions {
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
