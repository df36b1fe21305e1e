import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type {
  BrowserWindowConstructorOptions,
  CustomScheme,
  MenuItemConstructorOptions,
  Rectangle,
  SafeStorage,
} from 'electron';
import type { ElectronApi } from '../electron-api.ts';
import { DoubleApp, DoubleEvent } from './app-double.ts';
import { DoubleMenu, DoubleNotification, DoubleTray, forkAs, type ProcessKind } from './desktop-doubles.ts';
import type { Offered } from './offered.ts';

/** A frame of a page; what is posted to it lands in `received`. */
export class DoubleFrame {
  url: string;
  parent: DoubleFrame | null;
  readonly received: { channel: string; ports: DoublePort[] }[] = [];

  constructor(url: string, parent: DoubleFrame | null = null) {
    this.url = url;
    this.parent = parent;
  }

  postMessage(channel: string, _message: unknown, ports: DoublePort[]): void {
    this.received.push({ channel, ports });
  }
}

/** Node's port with the one difference Electron's has: a message arrives inside an event. */
export class DoublePort extends EventEmitter {
  /** The real port underneath, as the page would hold it. */
  readonly port: MessagePort;

  constructor(port: MessagePort) {
    super();
    this.port = port;
  }

  postMessage(message: unknown): void {
    this.port.postMessage(message);
  }

  start(): void {
    this.port.on('message', (data: unknown) => this.emit('message', { data, ports: [] }));
    this.port.on('close', () => this.emit('close'));
  }

  close(): void {
    this.port.close();
  }
}

export class DoubleContents extends EventEmitter {
  readonly mainFrame = new DoubleFrame('planchet://app/');
  windowOpenHandler: ((details: { url: string }) => { action: string }) | undefined;
  reloads = 0;
  url = '';

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.windowOpenHandler = handler;
  }

  reload(): void {
    this.reloads += 1;
  }

  getURL(): string {
    return this.url;
  }

  /** As Electron does: the page is gone before its next one is loaded. */
  forcefullyCrashRenderer(): void {
    this.emit('render-process-gone', new DoubleEvent(), { reason: 'killed' });
  }
}

export class DoubleWindow extends EventEmitter {
  readonly webContents = new DoubleContents();
  readonly options: BrowserWindowConstructorOptions;
  readonly calls: string[] = [];
  loaded: string | undefined;
  destroyed = false;
  minimized = false;
  focused = false;
  maximized = false;
  fullScreen = false;
  bounds: Rectangle;
  /** The newest of `setProgressBar`. */
  progress: { share: number; mode?: string } | undefined;

  constructor(options: BrowserWindowConstructorOptions) {
    super();
    this.options = options;
    const { x = 0, y = 0, width = 0, height = 0 } = options;
    this.bounds = { x, y, width, height };
  }

  async loadURL(url: string): Promise<void> {
    this.loaded = url;
    this.webContents.url = url;
  }

  show(): void {
    this.calls.push('show');
    this.emit('show');
  }

  hide(): void {
    this.calls.push('hide');
  }

  maximize(): void {
    this.maximized = true;
  }

  setFullScreen(on: boolean): void {
    this.fullScreen = on;
  }

  isFocused(): boolean {
    return this.focused;
  }

  isMaximized(): boolean {
    return this.maximized;
  }

  isFullScreen(): boolean {
    return this.fullScreen;
  }

  getNormalBounds(): Rectangle {
    return this.bounds;
  }

  setProgressBar(share: number, options: { mode?: string } = {}): void {
    this.progress = { share, ...options };
  }

  /** As the person does it: a listener may prevent it. */
  close(): void {
    const event = new DoubleEvent();
    this.emit('close', event);
    if (event.prevented) return;
    this.destroyed = true;
    this.emit('closed');
  }

  focus(): void {
    this.calls.push('focus');
  }

  restore(): void {
    this.calls.push('restore');
  }

  isMinimized(): boolean {
    return this.minimized;
  }

  isDestroyed(): boolean {
    return this.destroyed;
  }
}

type Handler = (...args: never[]) => unknown;

export class DoubleSession extends EventEmitter {
  readonly handlers = new Map<string, Handler>();
  readonly webRequest = {
    onBeforeRequest: (handler: Handler): void => void this.handlers.set('beforeRequest', handler),
  };

  setPermissionRequestHandler(handler: Handler): void {
    this.handlers.set('permissionRequest', handler);
  }

  setPermissionCheckHandler(handler: Handler): void {
    this.handlers.set('permissionCheck', handler);
  }

  setDevicePermissionHandler(handler: Handler): void {
    this.handlers.set('devicePermission', handler);
  }

  setDisplayMediaRequestHandler(handler: Handler): void {
    this.handlers.set('displayMedia', handler);
  }

  call(name: string, ...args: unknown[]): unknown {
    return (this.handlers.get(name) as (...given: unknown[]) => unknown)(...args);
  }
}

export class ElectronDouble {
  readonly app = new DoubleApp();
  readonly ipcMain = new EventEmitter();
  readonly powerMonitor = new EventEmitter();
  readonly windows: DoubleWindow[] = [];
  readonly schemes: CustomScheme[] = [];
  readonly protocolHandlers = new Map<string, (request: Request) => Promise<Response>>();
  readonly defaultSession = new DoubleSession();
  readonly menus: MenuItemConstructorOptions[][] = [];
  readonly errorBoxes: { title: string; content: string }[] = [];
  /** Errors told before it was ready, which on Linux no dialog shows. */
  readonly terminal: { title: string; content: string }[] = [];
  readonly questions: { message: string; detail?: string }[] = [];
  readonly trays: DoubleTray[] = [];
  hasTray = true;
  readonly notifications: DoubleNotification[] = [];
  readonly copied: string[] = [];
  /** Work areas of the screens, the main one first. */
  screens: Rectangle[] = [{ x: 0, y: 0, width: 1920, height: 1040 }];
  /** How `utilityProcess.fork` runs an entry. */
  processKind: ProcessKind = 'thread';
  checkbox = true;
  readonly opened: string[] = [];
  /** What keeps the computer awake now, by its number. */
  readonly blocks = new Map<number, string>();
  /** Which button the person presses. */
  answer = 0;
  backend: ReturnType<SafeStorage['getSelectedStorageBackend']> = 'gnome_libsecret';
  /** Version of the keychain's key. */
  keyVersion = 1;

  /** The double in the place of the real thing. */
  get api(): ElectronApi {
    const { app, windows, schemes, protocolHandlers, menus, errorBoxes, terminal, questions, opened, blocks } = this;
    const { trays, notifications, copied } = this;
    const trayMissing = (): boolean => !this.hasTray;
    const screens = (): { id: number; workArea: Rectangle }[] => this.screens.map((workArea, id) => ({ id, workArea }));
    class BrowserWindow extends DoubleWindow {
      constructor(options: BrowserWindowConstructorOptions) {
        super(options);
        windows.push(this);
        app.emit('web-contents-created', new DoubleEvent(), this.webContents);
      }
    }
    class MessageChannelMain {
      readonly port1: DoublePort;
      readonly port2: DoublePort;
      constructor() {
        const { port1, port2 } = new MessageChannel();
        this.port1 = new DoublePort(port1);
        this.port2 = new DoublePort(port2);
      }
    }
    class Tray extends DoubleTray {
      constructor(image: string) {
        super(image);
        if (trayMissing()) throw new Error('this desktop has no tray');
        trays.push(this);
      }
    }
    class Notification extends DoubleNotification {
      constructor(options: { title: string; body: string }) {
        super(options);
        notifications.push(this);
      }
    }
    const double = {
      Tray,
      Notification,
      nativeImage: {
        createFromPath: (path: string) => Object.assign(new String(path), { setTemplateImage: () => {} }),
      },
      clipboard: { writeText: async (text: string) => void copied.push(text) },
      screen: { getPrimaryDisplay: () => screens()[0] as { id: number; workArea: Rectangle }, getAllDisplays: screens },
      utilityProcess: {
        fork: (entry: string, _args?: string[], { env }: { env?: NodeJS.ProcessEnv } = {}) => {
          if (!app.ready) throw new Error('processes are forked after ready');
          return forkAs(this.processKind, entry, env);
        },
      },
      app,
      ipcMain: this.ipcMain,
      powerMonitor: this.powerMonitor,
      BrowserWindow,
      MessageChannelMain,
      powerSaveBlocker: {
        start: (kind: string) => {
          blocks.set(blocks.size + 1, kind);
          return blocks.size;
        },
        stop: (id: number) => blocks.delete(id),
        isStarted: (id: number) => blocks.has(id),
      },
      Menu: {
        buildFromTemplate: (template: MenuItemConstructorOptions[]) => new DoubleMenu(template),
        setApplicationMenu: ({ template }: DoubleMenu) => void menus.push(template),
      },
      dialog: {
        showErrorBox: (title: string, content: string) =>
          void (app.ready ? errorBoxes : terminal).push({ title, content }),
        showMessageBox: async (...given: { message: string; detail?: string }[]) => {
          questions.push(given.at(-1) as { message: string });
          return { response: this.answer, checkboxChecked: this.checkbox };
        },
      },
      protocol: {
        registerSchemesAsPrivileged: (added: CustomScheme[]) => {
          if (app.ready) throw new Error('schemes are registered before ready');
          schemes.push(...added);
        },
        handle: (scheme: string, handler: (request: Request) => Promise<Response>) => {
          if (!app.ready) throw new Error('protocols are handled after ready');
          protocolHandlers.set(scheme, handler);
        },
      },
      session: { defaultSession: this.defaultSession },
      shell: {
        openExternal: async (url: string) => void opened.push(url),
        openPath: async (path: string) => {
          opened.push(path);
          return '';
        },
      },
      safeStorage: {
        isAsyncEncryptionAvailable: async () => true,
        encryptStringAsync: async (text: string) =>
          Buffer.concat([Buffer.of(this.keyVersion), Buffer.from(text, 'utf8').reverse()]),
        decryptStringAsync: async (sealed: Buffer) => ({
          result: Buffer.from(sealed.subarray(1)).reverse().toString('utf8'),
          shouldReEncrypt: sealed[0] !== this.keyVersion,
        }),
        getSelectedStorageBackend: () => this.backend,
      },
    };
    double satisfies {
      readonly [K in Exclude<keyof ElectronApi, 'ipcMain' | 'powerMonitor'>]: Offered<ElectronApi[K]>;
    };
    return double as unknown as ElectronApi;
  }
}
