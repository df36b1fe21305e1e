import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type MintJobSummary, PlanchetError } from '../../contract/index.ts';
import type { ConsoleClient } from '../console/http-client.ts';
import { createFakeHost, type FakeHost } from '../console/test-support/fake-host.ts';
import type { createHost, Host, HostOptions } from '../host/host.ts';
import { PORT_CHANNEL } from './port-broker.ts';
import { DesktopShell, type ShellOptions } from './shell.ts';
import {
  DoubleEvent,
  DoubleFrame,
  type DoublePort,
  type DoubleWindow,
  ElectronDouble,
} from './test-support/electron-double.ts';

let folder: string;
let electron: ElectronDouble;
let fake: FakeHost;
let hostCalls: string[];
let hostOptions: HostOptions | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-shell-'));
  mkdirSync(join(folder, 'renderer'));
  writeFileSync(join(folder, 'renderer', 'index.html'), '<meta content="__CSP_NONCE__">');
  electron = new ElectronDouble();
  fake = createFakeHost();
  hostCalls = [];
  hostOptions = undefined;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A host of handlers alone: what the shell itself calls of it. */
const loadFakeHost = async (): Promise<{ createHost: typeof createHost }> => ({
  createHost: async (options) => {
    hostCalls.push('create');
    hostOptions = options;
    const host: Pick<Host, 'context' | 'start' | 'stop' | 'sleep'> = {
      context: fake.context,
      start: async () => void hostCalls.push('start'),
      stop: async () => void hostCalls.push('stop'),
      sleep: async () => void hostCalls.push('sleep'),
    };
    return host as Host;
  },
});

function shellWith(options: Partial<ShellOptions> = {}): DesktopShell {
  return new DesktopShell({
    electron: electron.api,
    loadHost: loadFakeHost,
    version: '0.1.0',
    args: ['--data-dir', join(folder, 'data')],
    env: {},
    platform: 'linux',
    rendererDir: join(folder, 'renderer'),
    preload: '/app/preload/index.cjs',
    onSignal: () => {},
    ...options,
  });
}

async function openWindow(options: Partial<ShellOptions> = {}): Promise<DoubleWindow> {
  await shellWith(options).run();
  return electron.windows[0] as DoubleWindow;
}

function askForPort(window: DoubleWindow, frame: DoubleFrame | null = window.webContents.mainFrame): void {
  electron.ipcMain.emit(PORT_CHANNEL, { senderFrame: frame, sender: window.webContents });
}

function clientOf(port: DoublePort): ConsoleClient {
  const client = createORPCClient<ConsoleClient>(new RPCLink({ port: port.port }));
  port.port.start();
  return client;
}

describe('the computer', () => {
  it.each(['suspend', 'lock-screen'])('tells the host of %s, so that the wallet locks', async (event) => {
    await openWindow();
    expect(hostCalls).not.toContain('sleep');
    electron.powerMonitor.emit(event);
    expect(hostCalls.at(-1)).toBe('sleep');
  });
});

describe('the start', () => {
  it('sets up the sandbox, the scheme and the lock before Electron is ready', async () => {
    const window = await openWindow();
    expect(electron.app.calls).toEqual(['enableSandbox', 'lock']);
    expect(electron.schemes).toEqual([
      {
        scheme: 'planchet',
        privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
      },
    ]);
    expect(electron.app.paths.get('userData')).toBe(join(folder, 'data', 'window'));
    expect(existsSync(join(folder, 'data', 'window'))).toBe(true);
    expect(window.loaded).toBe('planchet://app/');
    expect(hostCalls).toEqual(['create', 'start']);
    expect(electron.menus).toHaveLength(1);
  });

  it('opens a window without privileges', async () => {
    const { options } = await openWindow();
    expect(options.webPreferences).toMatchObject({
      preload: '/app/preload/index.cjs',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
      devTools: false,
    });
    expect(options.show).toBe(false);
  });

  it('shows the window when there is something to see', async () => {
    const window = await openWindow();
    expect(window.calls).toEqual([]);
    window.emit('ready-to-show');
    expect(window.calls).toEqual(['show']);
  });

  it('passes the options of the command line to the host, and skips switches of Electron', async () => {
    await openWindow({
      args: [
        '--data-dir',
        join(folder, 'data'),
        '--set',
        'rpcBind=:0',
        '--set=logLevel=debug',
        '--network',
        'test',
        '--safe-mode',
        '--no-sandbox',
      ],
      env: { PLANCHET_PASSPHRASE: 'p' },
    });
    expect(hostOptions).toMatchObject({
      dataDir: join(folder, 'data'),
      shell: 'desktop',
      scope: 'all',
      version: '0.1.0',
      overrides: { rpcBind: ':0', logLevel: 'debug', network: 'test' },
      safeMode: true,
    });
    expect(await hostOptions?.passphrase?.()).toBe('p');
    expect(await hostOptions?.keychain?.available()).toBe(true);
  });

  it('quits if another instance runs, which then shows its window', async () => {
    electron.app.firstInstance = false;
    await shellWith().run();
    expect(electron.app.exitCode).toBe(0);
    expect(hostCalls).toEqual([]);

    electron = new ElectronDouble();
    const window = await openWindow();
    window.minimized = true;
    electron.app.emit('second-instance');
    expect(window.calls).toEqual(['restore', 'show', 'focus']);
  });

  it('says why it cannot start, and ends', async () => {
    const failing = async (): Promise<{ createHost: typeof createHost }> => ({
      createHost: async () => {
        throw new PlanchetError({
          code: 'store-locked',
          message: 'Another Planchet uses this folder.',
          hint: 'Stop it first.',
        });
      },
    });
    await shellWith({ loadHost: failing }).run();
    expect(electron.errorBoxes).toEqual([
      { title: 'Planchet could not start', content: 'Another Planchet uses this folder.\n\nStop it first.' },
    ]);
    expect(electron.app.exitCode).toBe(1);
    expect(electron.windows).toEqual([]);
  });

  it('says that an option is wrong, and that a folder cannot be written', async () => {
    await shellWith({ args: ['--set', 'novalue'] }).run();
    writeFileSync(join(folder, 'file'), '');
    await shellWith({ args: ['--data-dir', join(folder, 'file', 'below')] }).run();
    expect(electron.errorBoxes.map(({ content }) => content)).toEqual([
      expect.stringContaining('--set takes key=value.'),
      expect.stringContaining('cannot be written'),
    ]);
    expect(electron.app.exitCode).toBe(1);
    expect(hostCalls).toEqual([]);
  });

  it.each(['remote-debugging-port', 'inspect'])('refuses --%s once it is packaged', async (name) => {
    electron.app.switches.add(name);
    await shellWith().run();
    expect(electron.app.exitCode).toBe(1);
    expect(electron.errorBoxes).toHaveLength(1);
    expect(hostCalls).toEqual([]);

    electron = new ElectronDouble();
    electron.app.switches.add(name);
    electron.app.isPackaged = false;
    expect((await openWindow()).options.webPreferences?.devTools).toBe(true);
  });
});

describe('the port', () => {
  it('reaches the page, and through it the page reaches the handlers', async () => {
    const window = await openWindow();
    askForPort(window);
    const [{ channel, ports }] = window.webContents.mainFrame.received as [{ channel: string; ports: DoublePort[] }];
    expect(channel).toBe('planchet:port');
    const client = clientOf(ports[0] as DoublePort);
    expect(await client.app.info()).toMatchObject({ network: 'sandbox' });
    const bytes = new Uint8Array([1, 2, 3]);
    const { uploadId } = await client.files.begin({ name: 'a.png', bytes: 3, contentType: 'image/png' });
    await client.files.append({ uploadId, offset: 0, piece: new Blob([bytes]) });
    const { sha256 } = await client.files.finish({ uploadId });
    expect(new Uint8Array(await (await client.files.read({ sha256 })).arrayBuffer())).toEqual(bytes);
    electron.app.quit();
  });

  it.each<[string, (window: DoubleWindow) => DoubleFrame | null]>([
    ['a frame that is gone', () => null],
    ['a frame inside the page', ({ webContents }) => new DoubleFrame('planchet://app/', webContents.mainFrame)],
    ['a page of the web', () => new DoubleFrame('https://app/')],
    ['a page whose address begins like ours', () => new DoubleFrame('planchet://app.evil.example/')],
    ['a page with our name as the user', () => new DoubleFrame('planchet://app@evil/')],
    ['an empty page', () => new DoubleFrame('about:blank')],
    ['a file', () => new DoubleFrame('file:///etc/passwd')],
  ])('is not handed to %s', async (_who, frameOf) => {
    const window = await openWindow();
    const frame = frameOf(window);
    askForPort(window, frame);
    expect(frame?.received ?? []).toEqual([]);
    expect(window.webContents.mainFrame.received).toEqual([]);
    expect(fake.logs.join('')).toContain('asked for a port');
  });

  it('is not given to contents the shell did not open', async () => {
    const window = await openWindow();
    const frame = new DoubleFrame('planchet://app/');
    electron.ipcMain.emit(PORT_CHANNEL, { senderFrame: frame, sender: {} });
    expect(frame.received).toEqual([]);
    expect(window.webContents.mainFrame.received).toEqual([]);
  });

  it('is replaced when the page reloads, and closed when the page is gone', async () => {
    const window = await openWindow();
    const frame = window.webContents.mainFrame;
    const subscribed = async (at: number): Promise<void> => {
      const stream = await clientOf(frame.received[at]?.ports[0] as DoublePort).events.subscribe();
      await stream.next();
    };
    // The shell itself listens as well, to keep the computer awake.
    const own = fake.hub.size;
    askForPort(window);
    await subscribed(0);
    askForPort(window);
    await expect.poll(() => fake.hub.size).toBe(own);
    await subscribed(1);
    expect(fake.hub.size).toBe(own + 1);
    window.webContents.emit('render-process-gone', new DoubleEvent(), { reason: 'crashed' });
    await expect.poll(() => fake.hub.size).toBe(own);
    askForPort(window);
    await subscribed(2);
    window.webContents.emit('destroyed');
    await expect.poll(() => fake.hub.size).toBe(own);
    askForPort(window);
    expect(frame.received).toHaveLength(3);
  });
});

describe('a page that stops working', () => {
  const crash = async (window: DoubleWindow): Promise<void> => {
    window.webContents.emit('render-process-gone', new DoubleEvent(), { reason: 'crashed' });
    await expect.poll(() => electron.questions).toHaveLength(1);
    await Promise.resolve();
  };

  it('is loaded again on demand', async () => {
    const window = await openWindow();
    await crash(window);
    await expect.poll(() => window.webContents.reloads).toBe(1);
    expect(electron.app.exitCode).toBeUndefined();
  });

  it('ends the application on demand', async () => {
    electron.answer = 1;
    await crash(await openWindow());
    await expect.poll(() => electron.app.exitCode).toBe(0);
    expect(hostCalls).toEqual(['create', 'start', 'stop']);
  });
});

describe('the end', () => {
  it('waits until the host has stopped', async () => {
    let finish: () => void = () => {};
    const loadHost = async (): Promise<{ createHost: typeof createHost }> => {
      const { createHost: create } = await loadFakeHost();
      return {
        createHost: async (options) =>
          Object.assign(await create(options), {
            stop: () =>
              new Promise<void>((resolve) => {
                hostCalls.push('stop');
                finish = resolve;
              }),
          }),
      };
    };
    await openWindow({ loadHost });
    electron.app.quit();
    electron.app.quit();
    expect(electron.app.exitCode).toBeUndefined();
    finish();
    await expect.poll(() => electron.app.exitCode).toBe(0);
    expect(hostCalls).toEqual(['create', 'start', 'stop']);
  });

  it('does not wait forever', async () => {
    const loadHost = async (): Promise<{ createHost: typeof createHost }> => {
      const { createHost: create } = await loadFakeHost();
      return {
        createHost: async (options) =>
          Object.assign(await create(options), { stop: () => new Promise<void>(() => {}) }),
      };
    };
    await openWindow({ loadHost, stopLimitMs: 30 });
    electron.app.quit();
    await expect.poll(() => electron.app.exitCode).toBe(0);
  });

  it('comes with the last window, but not on macOS, where the dock opens a new one', async () => {
    const window = await openWindow({ platform: 'darwin' });
    window.emit('closed');
    electron.app.emit('window-all-closed');
    expect(electron.app.exitCode).toBeUndefined();
    electron.app.emit('activate');
    expect(electron.windows).toHaveLength(2);

    electron = new ElectronDouble();
    await openWindow();
    electron.app.emit('window-all-closed');
    await expect.poll(() => electron.app.exitCode).toBe(0);
  });

  it('comes with a signal', async () => {
    let signal: () => void = () => {};
    await openWindow({
      onSignal: (listener) => {
        signal = listener;
      },
    });
    signal();
    await expect.poll(() => electron.app.exitCode).toBe(0);
    expect(hostCalls).toContain('stop');
  });
});

describe('the computer', () => {
  it('is kept awake while something is minted, and until then and afterwards it is not', async () => {
    await openWindow();
    // Nothing else of a job matters here.
    const summary = { id: 'j' } as MintJobSummary;
    fake.hub.publish({ type: 'job', job: { ...summary, active: true } });
    await vi.waitFor(() => expect([...electron.blocks.values()]).toEqual(['prevent-app-suspension']));
    fake.hub.publish({ type: 'job', job: { ...summary, active: true } });
    fake.hub.publish({ type: 'job', job: { ...summary, active: false } });
    await vi.waitFor(() => expect(electron.blocks.size).toBe(0));
    fake.hub.publish({ type: 'job', job: { ...summary, active: true } });
    await vi.waitFor(() => expect(electron.blocks.size).toBe(1));
    electron.app.quit();
    await vi.waitFor(() => expect(electron.blocks.size).toBe(0));
  });
});

describe('the real host', () => {
  it('runs under the shell and answers its page', async () => {
    const ports = ['consoleAddress', 'rpcBind', 'writerBind', 'sandbox.bind'].map((key) => `--set=${key}=127.0.0.1:0`);
    const zmq = ['zmqAddress', 'sandbox.zmqAddress'].map((key) => `--set=${key}=tcp://127.0.0.1:0`);
    const window = await openWindow({
      loadHost: () => import('../host/host.ts'),
      args: ['--data-dir', join(folder, 'data'), ...ports, ...zmq],
    });
    expect(electron.errorBoxes).toEqual([]);
    askForPort(window);
    const client = clientOf(window.webContents.mainFrame.received[0]?.ports[0] as DoublePort);
    expect(await client.app.info()).toMatchObject({ shell: 'desktop', network: 'sandbox' });
    const services = await client.services.list();
    expect(services.filter(({ status }) => status.state !== 'running')).toEqual([]);
    electron.app.quit();
    await vi.waitFor(() => expect(electron.app.exitCode).toBe(0), { timeout: 6_000 });
    expect(existsSync(join(folder, 'data', 'planchet.lock'))).toBe(false);
  });
});
