import type { Updater } from '../updates/updates.ts';

/** A library that finds one version. */
export class UpdaterDouble implements Updater {
  autoDownload = true;
  autoInstallOnAppQuit = true;
  allowDowngrade = true;
  allowPrerelease = true;
  requestHeaders: Record<string, unknown> | null = null;
  readonly calls: string[] = [];
  readonly #found: { version: string; releaseNotes?: unknown } | Error;
  /** Why the installer cannot be started. */
  installFault: Error | undefined;
  #onError: (error: Error) => void = () => {};
  onDownload = (): void => {};

  constructor(found: { version: string; releaseNotes?: unknown } | Error) {
    this.#found = found;
  }

  async checkForUpdates() {
    this.calls.push('check');
    if (this.#found instanceof Error) throw this.#found;
    return { isUpdateAvailable: true, updateInfo: this.#found };
  }

  async downloadUpdate() {
    this.calls.push('download');
    this.onDownload();
    return ['/cache/installer'];
  }

  once(_event: 'error', listener: (error: Error) => void): void {
    this.#onError = listener;
  }

  quitAndInstall(): void {
    this.calls.push('install');
    if (this.installFault !== undefined) this.#onError(this.installFault);
  }
}
