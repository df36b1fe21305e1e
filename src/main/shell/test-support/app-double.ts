import { EventEmitter } from 'node:events';

/** An event whose default action a listener may prevent. */
export class DoubleEvent {
  prevented = false;
  readonly url: string;
  readonly isMainFrame: boolean;

  constructor(url = '', isMainFrame = true) {
    this.url = url;
    this.isMainFrame = isMainFrame;
  }

  preventDefault(): void {
    this.prevented = true;
  }
}

export class DoubleApp extends EventEmitter {
  isPackaged = true;
  firstInstance = true;
  ready = false;
  readonly switches = new Set<string>();
  readonly paths = new Map<string, string>();
  readonly calls: string[] = [];
  exitCode: number | undefined;
  readonly commandLine = { hasSwitch: (name: string): boolean => this.switches.has(name) };

  locale = 'en-GB';
  /** Schemes whose links the application opens. */
  readonly protocols: string[] = [];
  readonly loginItems: { openAtLogin?: boolean; args?: string[] }[] = [];
  openedAtLogin = false;

  getLocale(): string {
    return this.locale;
  }

  setAsDefaultProtocolClient(scheme: string): boolean {
    this.protocols.push(scheme);
    return true;
  }

  setLoginItemSettings(settings: { openAtLogin?: boolean; args?: string[] }): void {
    this.loginItems.push(settings);
  }

  getLoginItemSettings() {
    const openAtLogin = this.loginItems.at(-1)?.openAtLogin ?? false;
    const status = openAtLogin ? ('enabled' as const) : ('not-registered' as const);
    const [executableWillLaunchAtLogin, launchItems] = [openAtLogin, []];
    return { wasOpenedAtLogin: this.openedAtLogin, openAtLogin, status, executableWillLaunchAtLogin, launchItems };
  }

  setAppUserModelId(id: string): void {
    this.calls.push(`id ${id}`);
  }

  relaunch(): void {
    this.calls.push('relaunch');
  }

  enableSandbox(): void {
    if (this.ready) throw new Error('enableSandbox() comes before ready');
    this.calls.push('enableSandbox');
  }

  setPath(name: string, path: string): void {
    this.paths.set(name, path);
  }

  requestSingleInstanceLock(): boolean {
    this.calls.push('lock');
    return this.firstInstance;
  }

  releaseSingleInstanceLock(): void {
    this.calls.push('unlock');
  }

  async whenReady(): Promise<void> {
    await Promise.resolve();
    this.ready = true;
  }

  /** As Electron does: asks first, and quits unless a listener prevents it. */
  quit(): void {
    const event = new DoubleEvent();
    this.emit('before-quit', event);
    if (!event.prevented) this.exit(0);
  }

  exit(code: number): void {
    this.exitCode ??= code;
    this.calls.push(`exit ${code}`);
  }
}
