import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserWindow } from 'electron';
import type { Logger } from 'pino';
import { PlanchetError, toFailure } from '../../contract/index.ts';
import { endsWithin } from '../clock.ts';
import type { createHost, Host } from '../host/host.ts';
import { resolveDataDir } from '../infrastructure/data-folder.ts';
import { parseShellArguments, type ShellArguments } from './arguments.ts';
import type { ElectronApi } from './electron-api.ts';
import { ExternalLinks } from './external-links.ts';
import { guardContents, guardSession } from './guards.ts';
import { keepAwake } from './keep-awake.ts';
import { createKeychain } from './keychain.ts';
import { menuTemplate } from './menu.ts';
import { PortBroker } from './port-broker.ts';
import { APP_URL, appRequestHandler, devRequestHandler, SCHEME, schemePrivileges } from './scheme.ts';
import { texts } from './texts.ts';
import { windowOptions } from './window-options.ts';

/** How long the application waits for its services before it ends all the same. */
const STOP_LIMIT_MS = 5_000;
/** Switches that let another program inspect this one. */
const debugSwitches = ['remote-debugging-port', 'remote-debugging-pipe', 'inspect', 'inspect-brk', 'inspect-port'];

export interface ShellOptions {
  electron: ElectronApi;
  /** Loaded after the window's guards are set up, since it loads the host. */
  loadHost: () => Promise<{ createHost: typeof createHost }>;
  version: string;
  /** Arguments without the program's name. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  rendererDir: string;
  preload: string;
  /** Called when the operating system asks the application to quit. */
  onSignal: (listener: () => void) => void;
  stopLimitMs?: number;
}

/**
 * The desktop application: one window on the host's handlers. Everything up to the first `await` runs before Electron is ready, as the
 * sandbox, the scheme and the lock of a single instance need it.
 */
export class DesktopShell {
  readonly #options: ShellOptions;
  readonly #electron: ElectronApi;
  readonly #links: ExternalLinks;
  readonly #devServer: string | undefined;
  #arguments: ShellArguments = { dataDir: undefined, overrides: {}, safeMode: false };
  #host: Host | undefined;
  #broker: PortBroker | undefined;
  #window: BrowserWindow | undefined;
  #stopped: Promise<void> | undefined;
  readonly #awake = new AbortController();
  #mayQuit = false;

  constructor(options: ShellOptions) {
    this.#options = options;
    this.#electron = options.electron;
    this.#links = new ExternalLinks(options.electron);
    this.#devServer = options.electron.app.isPackaged ? undefined : options.env.ELECTRON_RENDERER_URL;
  }

  /** Runs until the application quits. Resolves once the services have started, or after the reason why they cannot was displayed. */
  async run(): Promise<void> {
    const { app, dialog, protocol } = this.#electron;
    app.enableSandbox();
    protocol.registerSchemesAsPrivileged(schemePrivileges);
    if (app.isPackaged && debugSwitches.some((name) => app.commandLine.hasSwitch(name))) {
      dialog.showErrorBox(texts.startFailed, texts.debugRefused);
      app.exit(1);
      return;
    }
    let dataDir: string;
    try {
      this.#arguments = parseShellArguments(this.#options.args);
      dataDir = resolveDataDir(this.#arguments.dataDir, this.#options.env);
      // The lock of a single instance lives in this folder, so there is one instance for each data folder.
      app.setPath('userData', createWindowFolder(dataDir));
    } catch (error) {
      await this.#fail(error);
      return;
    }
    if (!app.requestSingleInstanceLock()) {
      app.exit(0);
      return;
    }
    app.on('second-instance', () => this.#focus());
    app.on('window-all-closed', () => {
      if (this.#options.platform !== 'darwin') app.quit();
    });
    app.on('before-quit', (event) => this.#onQuit(event));
    this.#options.onSignal(() => app.quit());

    await app.whenReady();
    try {
      await this.#open(dataDir);
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #open(dataDir: string): Promise<void> {
    const { electron, loadHost, version, rendererDir, env, platform } = this.#options;
    const { createHost } = await loadHost();
    const host = await createHost({
      dataDir,
      version,
      shell: 'desktop',
      scope: 'all',
      overrides: this.#arguments.overrides,
      environment: this.#options.env,
      safeMode: this.#arguments.safeMode,
      passphrase: async () => env.PLANCHET_PASSPHRASE,
      keychain: createKeychain(electron.safeStorage, platform),
      rendererDir,
      // Another network is another set of services; the window loads anew with them.
      restart: () => {
        electron.app.relaunch();
        electron.app.quit();
      },
    });
    this.#host = host;
    if (this.#stopped) {
      // Asked to quit while the host was being built.
      await host.stop();
      return;
    }
    const logger = host.context.logger.child({ part: 'shell' });
    this.#guard(logger);
    this.#broker = new PortBroker({ electron, context: host.context, logger });
    electron.Menu.setApplicationMenu(
      electron.Menu.buildFromTemplate(menuTemplate({ platform, development: this.#development })),
    );
    electron.app.on('activate', () => {
      if (this.#window === undefined) this.#openWindow(logger);
      else this.#focus();
    });
    this.#openWindow(logger);
    const events = host.context.events.subscribe(() => host.context.app.snapshot(), this.#awake.signal);
    keepAwake({ blocker: electron.powerSaveBlocker, events, logger }).catch((error: unknown) => {
      logger.error({ err: error }, 'the computer is not kept awake any more');
    });
    // The window shows how the services start, and why one does not.
    electron.powerMonitor.on('suspend', () => void host.sleep());
    electron.powerMonitor.on('lock-screen', () => void host.sleep());
    await host.start();
  }

  #guard(logger: Logger): void {
    const { electron, rendererDir } = this.#options;
    const devServer = this.#devServer;
    guardSession(electron.session.defaultSession, { logger, devServer });
    electron.protocol.handle(SCHEME, devServer ? devRequestHandler(devServer) : appRequestHandler(rendererDir));
    electron.app.on('web-contents-created', (_event, contents) =>
      guardContents(contents, { logger, openLink: (url) => void this.#openLink(url, logger) }),
    );
  }

  #openWindow(logger: Logger): void {
    const { preload } = this.#options;
    const window = new this.#electron.BrowserWindow(windowOptions({ preload, development: this.#development }));
    this.#window = window;
    this.#broker?.admit(window.webContents);
    window.once('ready-to-show', () => window.show());
    window.on('closed', () => {
      this.#window = undefined;
    });
    window.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason === 'clean-exit' || this.#stopped) return;
      logger.error({ reason }, 'the window stopped working');
      void this.#offerReload(window, logger);
    });
    window.loadURL(APP_URL).catch((error: unknown) => logger.error({ err: error }, 'the page could not be loaded'));
  }

  async #offerReload(window: BrowserWindow, logger: Logger): Promise<void> {
    try {
      const { response } = await this.#electron.dialog.showMessageBox({
        type: 'error',
        message: texts.crashed,
        detail: texts.crashedDetail,
        buttons: [texts.reload, texts.quit],
        defaultId: 0,
        cancelId: 1,
        noLink: true,
      });
      if (response !== 0) this.#electron.app.quit();
      else if (!window.isDestroyed()) window.webContents.reload();
    } catch (error) {
      logger.error({ err: error }, 'the question about the window could not be shown');
    }
  }

  async #openLink(url: string, logger: Logger): Promise<void> {
    try {
      await this.#links.open(url);
    } catch (error) {
      logger.error({ err: error }, 'a link could not be opened');
    }
  }

  #focus(): void {
    if (this.#window === undefined) return;
    if (this.#window.isMinimized()) this.#window.restore();
    this.#window.show();
    this.#window.focus();
  }

  /** Holds the end of the application back until the host has stopped, for five seconds at most. */
  #onQuit(event: { preventDefault(): void }): void {
    if (this.#mayQuit) return;
    event.preventDefault();
    this.#stopped ??= this.#stop().finally(() => {
      this.#mayQuit = true;
      this.#electron.app.quit();
    });
  }

  async #stop(): Promise<void> {
    this.#broker?.close();
    this.#awake.abort();
    const host = this.#host;
    if (host === undefined) return;
    const stopped = host.stop().catch((error: unknown) => {
      host.context.logger.error({ err: error }, 'the host failed to stop');
    });
    await endsWithin(stopped, this.#options.stopLimitMs ?? STOP_LIMIT_MS);
  }

  /** Shows why the application cannot go on, and ends it. */
  async #fail(error: unknown): Promise<void> {
    const { message, hint } = toFailure(error);
    this.#electron.dialog.showErrorBox(texts.startFailed, hint === undefined ? message : `${message}\n\n${hint}`);
    this.#stopped ??= this.#stop();
    await this.#stopped;
    this.#mayQuit = true;
    this.#electron.app.exit(1);
  }

  get #development(): boolean {
    return !this.#electron.app.isPackaged;
  }
}

/** Where Electron stores the window's caches and the page's own data. */
function createWindowFolder(dataDir: string): string {
  const folder = join(dataDir, 'window');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new PlanchetError('host.data-folder-unwritable', { dataDir }, { cause: error });
  }
  return folder;
}
