import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PlanchetError, toFailure } from '../../contract/index.ts';
import { endsWithin, systemClock } from '../clock.ts';
import { resolveDataDir } from '../infrastructure/data-folder.ts';
import { appImageOf } from './app-image.ts';
import { parseShellArguments, type ShellArguments } from './arguments.ts';
import type { ElectronApi } from './electron-api.ts';
import { denyAll } from './host/deny-all.ts';
import { type HostLink, loggerOf } from './host/host-link.ts';
import { createKeychain } from './host/keychain.ts';
import { linkAmong, viewOfLink } from './links/deep-links.ts';
import { ExternalLinks } from './links/external-links.ts';
import { setLoginItem } from './preferences/login-item.ts';
import { firstLanguage, languageOf, type PreferenceStore, type Preferences } from './preferences/preferences.ts';
import type { ShellActions } from './presence/actions.ts';
import { menuTemplate } from './presence/menu.ts';
import { Presence } from './presence/presence.ts';
import { described, type ShellLogger } from './shell-logger.ts';
import type { ShellOptions } from './shell-options.ts';
import { dangerousSwitch } from './switches.ts';
import { fill, type Texts, textsIn } from './texts/texts.ts';
import { goesBack } from './updates/rollback.ts';
import { GOOD_AFTER_MS, StartRecord } from './updates/start-record.ts';
import { Updates } from './updates/updates.ts';
import { guardContents, guardSession } from './window/guards.ts';
import { MainWindow } from './window/main-window.ts';
import { PortBroker } from './window/port-broker.ts';
import { appRequestHandler, devRequestHandler, SCHEME, schemePrivileges } from './window/scheme.ts';

/** The application's name to Windows, as the installer writes it into its shortcut: `appId` of electron-builder.yml. */
const APP_ID = 'org.planchet.desktop';

/** How long the application waits for its services before it ends all the same. */
const STOP_LIMIT_MS = 5_000;

/** What window, tray and updates share. */
interface WindowParts {
  readonly preferences: PreferenceStore;
  readonly actions: ShellActions;
  readonly logger: ShellLogger;
}

/**
 * The desktop application: one window on the host's handlers. Everything up to the first `await` runs before Electron is ready, as the
 * sandbox, the scheme and the lock of a single instance need it.
 */
export class DesktopShell {
  readonly #options: ShellOptions;
  readonly #electron: ElectronApi;
  readonly #devServer: string | undefined;
  #arguments: ShellArguments = { dataDir: undefined, overrides: {}, safeMode: false, hidden: false };
  #texts: Texts = textsIn('en');
  #preferences: PreferenceStore | undefined;
  #link: HostLink | undefined;
  #broker: PortBroker | undefined;
  #presence: Presence | undefined;
  #window: MainWindow | undefined;
  #updates: Updates | undefined;
  #starts: StartRecord | undefined;
  #stopped: Promise<void> | undefined;
  /** A view that a link asked for before there was a window. */
  #firstView: string | undefined;
  #mayQuit = false;

  constructor(options: ShellOptions) {
    this.#options = options;
    this.#electron = options.electron;
    this.#devServer = options.electron.app.isPackaged ? undefined : options.env.ELECTRON_RENDERER_URL;
  }

  /** Runs until the application quits. Resolves once the services have started, or after the reason why they cannot was displayed. */
  async run(): Promise<void> {
    const { app, dialog, protocol } = this.#electron;
    const { args, openPreferences, onSignal, platform, version } = this.#options;
    app.enableSandbox();
    // Else notifications come from `electron.app.Planchet`, and the window stands beside the icon that was pinned to the taskbar.
    if (platform === 'win32') app.setAppUserModelId(APP_ID);
    protocol.registerSchemesAsPrivileged(schemePrivileges);
    const dangerous = app.isPackaged && dangerousSwitch((name) => app.commandLine.hasSwitch(name), args);
    if (dangerous) {
      // Given by the start of an AppImage itself, on systems that keep the sandbox from it.
      const fromAppImage = platform === 'linux' && dangerous === 'no-sandbox';
      if (fromAppImage) await this.#readyToTell();
      const why = fromAppImage ? this.#texts.sandboxMissing : fill(this.#texts.debugRefused, { name: dangerous });
      dialog.showErrorBox(this.#texts.startFailed, why);
      app.exit(1);
      return;
    }
    let dataDir: string;
    let folder: string;
    try {
      this.#arguments = parseShellArguments(args);
      dataDir = resolveDataDir(this.#arguments.dataDir, this.#options.env);
      folder = createWindowFolder(dataDir);
      // The lock of a single instance lives in this folder, so there is one instance for each data folder.
      app.setPath('userData', folder);
    } catch (error) {
      await this.#fail(error);
      return;
    }
    if (!app.requestSingleInstanceLock()) {
      app.exit(0);
      return;
    }
    this.#firstView = viewAmong(args);
    app.on('second-instance', (_event, argv) => this.#show(viewAmong(argv)));
    // macOS hands links over by an event, at the start before the application is ready.
    app.on('open-url', (event, url) => {
      event.preventDefault();
      this.#show(viewOfLink(url));
    });
    app.on('window-all-closed', () => {
      if (this.#options.platform !== 'darwin') app.quit();
    });
    app.on('before-quit', (event) => this.#onQuit(event));
    onSignal(() => app.quit());

    await app.whenReady();
    try {
      this.#preferences = openPreferences(folder);
      this.#texts = textsIn(firstLanguage(this.#preferences, app.getLocale()));
      this.#starts = new StartRecord(this.#preferences, version);
      if (app.isPackaged && (await goesBack(this.#starts, { electron: this.#electron, version, texts: this.#texts }))) {
        app.exit(0);
        return;
      }
      await this.#open(dataDir, folder, this.#preferences);
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #open(dataDir: string, folder: string, preferences: PreferenceStore): Promise<void> {
    const { electron, openHost, version, rendererDir, platform } = this.#options;
    const link = await openHost({
      dataDir,
      version,
      overrides: this.#arguments.overrides,
      safeMode: this.#arguments.safeMode,
      rendererDir,
      keychain: createKeychain(electron, platform, () => this.#texts),
      onRestart: () => void this.#restart(),
      onCrash: () => this.#tellCrash(),
      onBack: () => {
        this.#presence?.follow(link);
        this.#window?.reload();
      },
      onGone: () => electron.dialog.showErrorBox(this.#texts.hostGone, this.#texts.hostGoneDetail),
    });
    this.#link = link;
    if (this.#stopped) {
      // Asked to quit while the host was being built.
      await link.stop();
      return;
    }
    const logger = loggerOf(link);
    this.#guard(logger);
    this.#broker = new PortBroker({ electron, link, logger });
    const actions = this.#createActions(link, preferences, logger);
    this.#build(link, { preferences, actions, logger });
    if (electron.app.isPackaged) electron.app.setAsDefaultProtocolClient(SCHEME);
    electron.app.on('activate', () => this.#show());
    electron.app.on('child-process-gone', (_event, { type, reason }) => {
      if (reason !== 'clean-exit') logger.error({ type, reason }, 'a process of the application stopped working');
    });
    electron.powerMonitor.on('suspend', () => link.sleep());
    electron.powerMonitor.on('lock-screen', () => link.sleep());
    await this.#openUpdates({ preferences, actions, logger }, join(folder, 'installers'));
    // The window shows how the services start, and why one does not.
    await link.start();
    this.#after(GOOD_AFTER_MS, () => this.#starts?.good());
  }

  async #openUpdates({ preferences, actions, logger }: WindowParts, folder: string): Promise<void> {
    const { electron, openUpdater, version } = this.#options;
    const updater = electron.app.isPackaged ? await openUpdater() : null;
    if (updater === null) return;
    this.#updates = new Updates({
      electron,
      updater,
      preferences,
      logger,
      version,
      folder,
      texts: () => this.#texts,
      handOver: () => this.#handOver(),
      quit: () => electron.app.quit(),
      isBusy: () => (this.#presence?.state.working.size ?? 0) > 0,
      after: (ms, run) => this.#after(ms, run),
    });
    this.#updates.start();
    this.#drawMenu(actions);
  }

  #after(ms: number, run: () => void): () => void {
    return (this.#options.after ?? systemClock.after)(ms, run);
  }

  #build(link: HostLink, { preferences, actions, logger }: WindowParts): void {
    const { electron, platform, preload, icons } = this.#options;
    const locale = electron.app.getLocale();
    const window = new MainWindow({
      electron,
      platform,
      development: this.#development,
      preload,
      preferences,
      broker: this.#broker as PortBroker,
      logger,
      texts: () => this.#texts,
      isQuitting: () => this.#stopped !== undefined,
      hasTray: () => this.#presence?.hasTray ?? false,
      quit: () => electron.app.quit(),
      deny: () => void denyAll(link, logger),
    });
    this.#window = window;
    this.#presence = new Presence({
      electron,
      platform,
      icons,
      actions,
      logger,
      language: firstLanguage(preferences, locale),
      systemLanguage: languageOf(locale),
      isFocused: () => window.isFocused,
      onProgress: (share) => window.progress(share),
      onLanguage: (language) => {
        this.#texts = textsIn(language);
        preferences.set('language', language);
        this.#drawMenu(actions);
      },
    });
    this.#drawMenu(actions);
    window.open(this.#firstView, this.#startsHidden);
    this.#presence.follow(link);
  }

  #createActions(link: HostLink, preferences: PreferenceStore, logger: ShellLogger): ShellActions {
    const { electron, platform, env, executable } = this.#options;
    const actions: ShellActions = {
      open: (view) => this.#show(view),
      lock: () => {
        const locked = async (): Promise<unknown> => link.client.wallet.lock();
        locked().catch((error: unknown) => logger.warn(described(error), 'the wallet was not locked'));
      },
      copyEndpoint: () => {
        const address = this.#presence?.state.endpoints?.rpc;
        if (address) void electron.clipboard.writeText(address);
      },
      checkForUpdate: () => void this.#updates?.check(true),
      quit: () => electron.app.quit(),
      preference: (key) => preferences.get(key),
      setPreference: <K extends keyof Preferences>(key: K, value: Preferences[K]) => {
        preferences.set(key, value);
        if (key === 'launchAtLogin') {
          try {
            setLoginItem(value === true, { electron, platform, env, executable });
          } catch (error) {
            logger.error(described(error), 'the start at login could not be changed');
          }
        }
        this.#drawMenu(actions);
      },
    };
    return actions;
  }

  #drawMenu(actions: ShellActions): void {
    const { electron, platform } = this.#options;
    const template = menuTemplate({
      platform,
      development: this.#development,
      texts: this.#texts,
      actions,
      updates: this.#updates !== undefined,
    });
    electron.Menu.setApplicationMenu(electron.Menu.buildFromTemplate(template));
  }

  #guard(logger: ShellLogger): void {
    const { electron, rendererDir } = this.#options;
    const devServer = this.#devServer;
    const links = new ExternalLinks(electron, () => this.#texts);
    guardSession(electron.session.defaultSession, { logger, devServer });
    electron.protocol.handle(SCHEME, devServer ? devRequestHandler(devServer) : appRequestHandler(rendererDir));
    electron.app.on('web-contents-created', (_event, contents) =>
      guardContents(contents, {
        logger,
        openLink: (url) => {
          links.open(url).catch((error: unknown) => logger.error(described(error), 'a link could not be opened'));
        },
      }),
    );
  }

  /** A link that is refused still shows the window: who pressed it sees that Planchet runs. */
  #show(view?: string): void {
    if (this.#window === undefined) this.#firstView = view ?? this.#firstView;
    else if (!this.#stopped) this.#window.show(view);
  }

  #tellCrash(): void {
    const { hostCrashed: message, hostCrashedDetail: detail } = this.#texts;
    // Not waited for: the host starts again whether or not somebody reads it.
    void this.#electron.dialog.showMessageBox({ type: 'warning', message, detail, buttons: ['OK'] }).catch(() => {});
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

  /** Another network is another set of services, so the whole application restarts. */
  async #restart(): Promise<void> {
    const { app } = this.#electron;
    const { env, args, executable, startProgram } = this.#options;
    const image = appImageOf(executable, env);
    if (image !== undefined) {
      // Electron's own way starts a program of the mounted image, which is gone with this process.
      await this.#handOver();
      startProgram(image, args);
    } else app.relaunch();
    app.quit();
  }

  /** Ends what another process of this program, or its installer, would find in use. */
  async #handOver(): Promise<void> {
    this.#stopped ??= this.#stop();
    await this.#stopped;
    this.#mayQuit = true;
    this.#electron.app.releaseSingleInstanceLock();
  }

  async #stop(): Promise<void> {
    this.#updates?.quit();
    // Who can quit it in order has seen it run.
    if (this.#link !== undefined) this.#starts?.good();
    this.#broker?.close();
    this.#presence?.close();
    const link = this.#link;
    if (link === undefined) return;
    const stopped = link.stop().catch(() => {});
    await endsWithin(stopped, this.#options.stopLimitMs ?? STOP_LIMIT_MS);
  }

  /** Before it is ready, Electron on Linux writes an error to the terminal only. */
  async #readyToTell(): Promise<void> {
    if (this.#options.platform === 'linux') await this.#electron.app.whenReady();
  }

  /** Shows why the application cannot go on, and ends it. */
  async #fail(error: unknown): Promise<void> {
    const { message, hint } = toFailure(error);
    await this.#readyToTell();
    this.#electron.dialog.showErrorBox(this.#texts.startFailed, hint === undefined ? message : `${message}\n\n${hint}`);
    this.#stopped ??= this.#stop();
    await this.#stopped;
    this.#mayQuit = true;
    this.#electron.app.exit(1);
  }

  get #development(): boolean {
    return !this.#electron.app.isPackaged;
  }

  /** Only with a tray, as nothing else would bring the window back. */
  get #startsHidden(): boolean {
    const { electron, platform } = this.#options;
    const atLogin = platform === 'darwin' && electron.app.getLoginItemSettings().wasOpenedAtLogin;
    return (this.#arguments.hidden || atLogin) && this.#firstView === undefined && (this.#presence?.hasTray ?? false);
  }
}

function viewAmong(args: readonly string[]): string | undefined {
  const link = linkAmong(args);
  return link === undefined ? undefined : viewOfLink(link);
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
