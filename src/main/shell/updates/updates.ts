import type { ElectronApi } from '../electron-api.ts';
import type { PreferenceStore } from '../preferences/preferences.ts';
import { described, type ShellLogger } from '../shell-logger.ts';
import { fill, type Texts } from '../texts/texts.ts';
import { keepInstaller } from './kept-installers.ts';
import { plainNotes } from './release-notes.ts';

/** The first check comes when the start is over, the next ones once a day. */
const FIRST_CHECK_MS = 60_000;
const CHECK_EVERY_MS = 86_400_000;

/** The part of `electron-updater` that is used; the library does the download, its hash and its signature. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  allowDowngrade: boolean;
  allowPrerelease: boolean;
  requestHeaders: Record<string, unknown> | null;
  checkForUpdates(): Promise<{
    isUpdateAvailable: boolean;
    updateInfo: { version: string; releaseNotes?: unknown };
  } | null>;
  /** @returns the installer's path, first of a list */
  downloadUpdate(): Promise<readonly string[]>;
  once(event: 'error', listener: (error: Error) => void): unknown;
  quitAndInstall(isSilent?: boolean, isForceRunAfter?: boolean): void;
}

export interface UpdatesOptions {
  readonly electron: Pick<ElectronApi, 'dialog'>;
  readonly updater: Updater;
  readonly preferences: PreferenceStore;
  readonly logger: ShellLogger;
  readonly texts: () => Texts;
  readonly version: string;
  /** Where installers are kept. */
  readonly folder: string;
  /** Whether a job is at work: then nothing is installed. */
  readonly isBusy: () => boolean;
  /** Ends the host and lets another instance start. The application can only quit afterwards. */
  readonly handOver: () => Promise<void>;
  readonly quit: () => void;
  /** @returns cancels the timer */
  readonly after: (ms: number, run: () => void) => () => void;
}

/** Looks for updates as the person chose: never, to announce them, or to install them at the next quit. */
export class Updates {
  readonly #options: UpdatesOptions;
  #cancel: (() => void) | undefined;
  #isAtWork = false;

  constructor(options: UpdatesOptions) {
    this.#options = options;
    const { updater } = options;
    // What is downloaded and installed is decided here, and an older version never is.
    updater.autoDownload = false;
    updater.autoInstallOnAppQuit = false;
    updater.allowDowngrade = false;
    updater.allowPrerelease = false;
    // The library would tell the server a number of this installation.
    updater.requestHeaders = { 'x-user-staging-id': '' };
  }

  start(): void {
    this.#plan(FIRST_CHECK_MS);
  }

  /** The application quits. The library then installs what was downloaded for that, but not while a job is at work. */
  quit(): void {
    this.#cancel?.();
    const { updater, isBusy, preferences } = this.#options;
    if (isBusy() || preferences.get('updates') !== 'auto') updater.autoInstallOnAppQuit = false;
  }

  /** @param asked by the person, who then also hears that there is nothing new, or that the check failed */
  async check(asked: boolean): Promise<void> {
    const choice = this.#options.preferences.get('updates');
    if (this.#isAtWork || (choice === 'off' && !asked)) return;
    this.#isAtWork = true;
    try {
      await this.#look(asked, choice === 'auto' && !asked);
    } catch (error) {
      // Without a network this is no news.
      this.#options.logger.warn(described(error), 'the update was not checked or downloaded');
      if (asked) await this.#say(this.#options.texts().updateFailed);
    } finally {
      this.#isAtWork = false;
    }
  }

  async #look(asked: boolean, silent: boolean): Promise<void> {
    const { updater, texts, preferences, version: current } = this.#options;
    const found = await updater.checkForUpdates();
    const t = texts();
    if (!found?.isUpdateAvailable || !isNewer(found.updateInfo.version, current)) {
      if (asked) await this.#say(fill(t.updateNone, { current }));
      return;
    }
    const { version, releaseNotes } = found.updateInfo;
    if (!silent) {
      const detail = [fill(t.updateFoundDetail, { current }), plainNotes(releaseNotes)].filter(Boolean).join('\n\n');
      if (!(await this.#ask(fill(t.updateFound, { version }), detail, t.updateDownload))) return;
    }
    // Read by the library when the download ends, and again at the quit.
    updater.autoInstallOnAppQuit = silent;
    const [installer] = await updater.downloadUpdate();
    if (installer !== undefined) preferences.set('installer', { version, path: await this.#keep(installer, version) });
    if (!silent) await this.#offerInstall(version);
  }

  /** Without room for a copy the update goes on, but a later version cannot go back to it. */
  async #keep(installer: string, version: string): Promise<string> {
    const { folder, logger, preferences } = this.#options;
    const good = preferences.get('goodVersion')?.version;
    return keepInstaller(folder, installer, { version, good }).catch((error: unknown) => {
      logger.warn(described(error), 'the installer could not be kept');
      return installer;
    });
  }

  async #offerInstall(version: string): Promise<void> {
    const { isBusy, texts } = this.#options;
    const t = texts();
    const message = fill(t.updateReady, { version });
    const isWanted = !isBusy() && (await this.#ask(message, t.updateReadyDetail, t.updateInstall));
    // Looked at again: a job may have begun while the question stood there.
    if (isBusy()) await this.#say(message, t.updateBusy);
    else if (isWanted) await this.#install();
  }

  /**
   * The host is stopped before, not at the quit: an installer ends by force what still runs after a moment, and an AppImage starts the
   * new version at once, which would find the lock of this one.
   */
  async #install(): Promise<void> {
    const { updater, handOver, quit, texts } = this.#options;
    updater.once('error', () => void this.#say(texts().updateNotInstalled).finally(quit));
    await handOver();
    updater.quitAndInstall(false, true);
  }

  async #ask(message: string, detail: string, yes: string): Promise<boolean> {
    const { response } = await this.#options.electron.dialog.showMessageBox({
      type: 'info',
      message,
      detail,
      buttons: [yes, this.#options.texts().later],
      defaultId: 1,
      cancelId: 1,
      noLink: true,
    });
    return response === 0;
  }

  async #say(message: string, detail = ''): Promise<void> {
    await this.#options.electron.dialog.showMessageBox({ type: 'info', message, detail, buttons: ['OK'] });
  }

  #plan(ms: number): void {
    this.#cancel = this.#options.after(ms, () => {
      void this.check(false);
      this.#plan(CHECK_EVERY_MS);
    });
  }
}

/** Whether a version of three numbers is above another. Anything else is refused: a feed decides nothing by odd names. */
function isNewer(version: string, current: string): boolean {
  const [a, b] = [version, current].map((text) => /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/.exec(text)?.slice(1).map(Number));
  if (a === undefined || b === undefined) return false;
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && (a[at] as number) > (b[at] as number);
}
