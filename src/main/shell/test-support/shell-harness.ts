import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Conf from 'conf';
import { createFakeHost, type FakeHost } from '../../console/test-support/fake-host.ts';
import { type Preferences, preferenceOptions } from '../preferences/preferences.ts';
import { DesktopShell } from '../shell.ts';
import type { ShellOptions } from '../shell-options.ts';
import { type DirectHost, directHost } from './direct-host.ts';
import { type DoubleWindow, ElectronDouble } from './electron-double.ts';

/** A computer with a data folder, a double of Electron and a host of handlers alone. Tests replace a part of it to start once more. */
export class ShellHarness {
  readonly folder = mkdtempSync(join(tmpdir(), 'planchet-shell-'));
  electron = new ElectronDouble();
  fake: FakeHost = createFakeHost();
  host: DirectHost = directHost(this.fake.context);
  /** Programs that were started, with their arguments. */
  readonly started: string[][] = [];
  #preferences: Conf<Preferences> | undefined;

  constructor() {
    mkdirSync(join(this.folder, 'renderer'));
    writeFileSync(join(this.folder, 'renderer', 'index.html'), '<meta content="__CSP_NONCE__">');
  }

  /** What the shell that was started last remembers. */
  get preferences(): Conf<Preferences> {
    if (this.#preferences === undefined) throw new Error('no shell was started');
    return this.#preferences;
  }

  shell(options: Partial<ShellOptions> = {}): DesktopShell {
    return new DesktopShell({
      electron: this.electron.api,
      openHost: this.host.open,
      // The store of `electron-store`, which is `conf` with a folder of its own choice.
      openPreferences: (cwd) => {
        this.#preferences = new Conf<Preferences>({ ...preferenceOptions('0.1.0'), cwd, configName: 'shell' });
        return this.#preferences;
      },
      openUpdater: async () => null,
      executable: '/opt/planchet/planchet',
      icons: '/app/tray',
      version: '0.1.0',
      args: ['--data-dir', join(this.folder, 'data')],
      env: {},
      platform: 'linux',
      rendererDir: join(this.folder, 'renderer'),
      preload: '/app/preload/index.cjs',
      startProgram: (path, args) => void this.started.push([path, ...args]),
      onSignal: () => {},
      ...options,
    });
  }

  /** Starts a shell. @returns its window */
  async open(options: Partial<ShellOptions> = {}): Promise<DoubleWindow> {
    await this.shell(options).run();
    return this.electron.windows[0] as DoubleWindow;
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
