import type { BrowserWindow } from 'electron';
import type { ElectronApi } from '../electron-api.ts';
import type { PreferenceStore } from '../preferences/preferences.ts';
import { placeWindow } from '../preferences/window-state.ts';
import { described, type ShellLogger } from '../shell-logger.ts';
import type { Texts } from '../texts/texts.ts';
import type { PortBroker } from './port-broker.ts';
import { APP_URL } from './scheme.ts';
import { windowOptions } from './window-options.ts';

export interface MainWindowOptions {
  readonly electron: Pick<ElectronApi, 'BrowserWindow' | 'dialog' | 'screen'>;
  readonly platform: NodeJS.Platform;
  readonly development: boolean;
  readonly preload: string;
  readonly preferences: PreferenceStore;
  readonly broker: Pick<PortBroker, 'admit'>;
  readonly logger: ShellLogger;
  readonly texts: () => Texts;
  readonly isQuitting: () => boolean;
  /** Whether a hidden window can be brought back by an icon. */
  readonly hasTray: () => boolean;
  readonly quit: () => void;
  /** The page cannot be trusted any more: every request that waits for the person is denied. */
  readonly deny: () => void;
}

/** The one window, from where it was left to what happens when its page stops working. */
export class MainWindow {
  readonly #options: MainWindowOptions;
  #window: BrowserWindow | undefined;
  #progress: number | 'unknown' | null = null;
  /** Questions that are shown now, each once. */
  readonly #asking = new Set<'close' | 'page'>();

  constructor(options: MainWindowOptions) {
    this.#options = options;
  }

  get isFocused(): boolean {
    return this.#window?.isFocused() ?? false;
  }

  /** Shows the window, opens it again if it was closed, and goes to a view. @param view such as `/tokens` */
  show(view?: string): void {
    const window = this.#window;
    if (window === undefined) {
      this.open(view);
      return;
    }
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
    if (view !== undefined) this.#load(window, view);
  }

  /** @param hidden it waits in the tray, after a start at login */
  open(view?: string, hidden = false): void {
    const { electron, preload, development, preferences, broker, texts } = this.#options;
    const state = preferences.get('window');
    const place = placeWindow(state.bounds, mainFirst(electron.screen));
    const window = new electron.BrowserWindow(windowOptions({ preload, development, place, title: texts().appName }));
    this.#window = window;
    broker.admit(window.webContents);
    if (state.maximized) window.once('show', () => window.maximize());
    if (state.fullScreen) window.once('show', () => window.setFullScreen(true));
    if (!hidden) window.once('ready-to-show', () => window.show());
    this.#guardClose(window);
    this.#guardPage(window);
    this.progress(this.#progress);
    this.#load(window, view);
  }

  /** The share of work that is done, in the taskbar or the dock. */
  progress(share: number | 'unknown' | null): void {
    this.#progress = share;
    if (share === null) this.#window?.setProgressBar(-1);
    else if (share === 'unknown') this.#window?.setProgressBar(2, { mode: 'indeterminate' });
    else this.#window?.setProgressBar(share);
  }

  /** Reloads the page, since its port leads to a host that has ended. */
  reload(): void {
    this.#window?.webContents.reload();
  }

  #load(window: BrowserWindow, view: string | undefined): void {
    const url = view === undefined ? APP_URL : `${APP_URL}#${view}`;
    // The same address again would reload the page, and what the person has typed would be lost.
    if (window.webContents.getURL() === url) return;
    window.loadURL(url).catch((error: unknown) => {
      this.#options.logger.error(described(error), 'the page could not be loaded');
    });
  }

  #guardClose(window: BrowserWindow): void {
    const { platform, preferences, isQuitting, hasTray, deny } = this.#options;
    window.on('close', (event) => {
      this.#save(window);
      const onClose = preferences.get('onClose');
      // On macOS an application without a window goes on anyway.
      if (isQuitting() || platform === 'darwin' || onClose === 'quit' || !hasTray()) return;
      event.preventDefault();
      if (onClose === 'tray') window.hide();
      else void this.#askOnClose(window);
    });
    window.on('closed', () => {
      this.#window = undefined;
      if (!isQuitting()) deny();
    });
    // Windows ends the session without closing windows first.
    window.on('session-end', () => this.#save(window));
  }

  #save(window: BrowserWindow): void {
    this.#options.preferences.set('window', {
      bounds: window.getNormalBounds(),
      maximized: window.isMaximized(),
      fullScreen: window.isFullScreen(),
    });
  }

  async #askOnClose(window: BrowserWindow): Promise<void> {
    const { electron, texts, preferences, quit } = this.#options;
    const { closeQuestion, closeDetail, keepRunning, quit: quitText, rememberChoice } = texts();
    await this.#ask('close', async () => {
      const { response, checkboxChecked } = await electron.dialog.showMessageBox(window, {
        type: 'question',
        message: closeQuestion,
        detail: closeDetail,
        buttons: [keepRunning, quitText],
        checkboxLabel: rememberChoice,
        checkboxChecked: true,
        defaultId: 0,
        cancelId: 0,
        noLink: true,
      });
      const stays = response === 0;
      if (checkboxChecked) preferences.set('onClose', stays ? 'tray' : 'quit');
      if (stays) window.hide();
      else quit();
    });
  }

  #guardPage(window: BrowserWindow): void {
    const { logger, isQuitting, deny } = this.#options;
    const { webContents } = window;
    let isOurs = false;
    webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason === 'clean-exit' || isQuitting()) return;
      deny();
      logger.error({ reason }, 'the window stopped working');
      if (isOurs) isOurs = false;
      else void this.#offerReload(window, () => webContents.reload());
    });
    window.on('unresponsive', () => {
      if (isQuitting()) return;
      logger.warn({}, 'the window does not react');
      void this.#offerReload(
        window,
        () => {
          isOurs = true;
          webContents.forcefullyCrashRenderer();
          webContents.reload();
        },
        true,
      );
    });
  }

  async #offerReload(window: BrowserWindow, reload: () => void, mayWait = false): Promise<void> {
    const { electron, texts, quit } = this.#options;
    await this.#ask('page', async () => {
      const t = texts();
      const { response } = await electron.dialog.showMessageBox({
        type: mayWait ? 'warning' : 'error',
        message: mayWait ? t.unresponsive : t.crashed,
        detail: mayWait ? t.unresponsiveDetail : t.crashedDetail,
        buttons: [t.reload, mayWait ? t.wait : t.quit],
        defaultId: mayWait ? 1 : 0,
        cancelId: 1,
        noLink: true,
      });
      if (window.isDestroyed()) return;
      if (response === 0) reload();
      else if (!mayWait) quit();
    });
  }

  async #ask(what: 'close' | 'page', question: () => Promise<void>): Promise<void> {
    if (this.#asking.has(what)) return;
    this.#asking.add(what);
    try {
      await question();
    } catch (error) {
      this.#options.logger.error(described(error), 'a question about the window could not be shown');
    } finally {
      this.#asking.delete(what);
    }
  }
}

function mainFirst(screen: ElectronApi['screen']) {
  const main = screen.getPrimaryDisplay();
  return [main, ...screen.getAllDisplays().filter(({ id }) => id !== main.id)];
}
