import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlanchetError } from '../../contract/index.ts';
import { workingMint } from '../../contract/test-support/working-mint.ts';
import type { ConsoleClient } from '../console/http-client.ts';
import { utilityHosts } from './host/utility-host.ts';
import { DoubleEvent } from './test-support/app-double.ts';
import { directHost } from './test-support/direct-host.ts';
import { DoubleFrame, type DoublePort, type DoubleWindow, ElectronDouble } from './test-support/electron-double.ts';
import { ShellHarness } from './test-support/shell-harness.ts';
import { PORT_CHANNEL } from './window/port-broker.ts';

const hostEntry = fileURLToPath(new URL('../host-process.ts', import.meta.url));

let harness: ShellHarness;
beforeEach(() => {
  harness = new ShellHarness();
});
afterEach(() => harness.close());

function askForPort(window: DoubleWindow, frame: DoubleFrame | null = window.webContents.mainFrame): void {
  harness.electron.ipcMain.emit(PORT_CHANNEL, { senderFrame: frame, sender: window.webContents });
}

function clientOf(port: DoublePort): ConsoleClient {
  const client = createORPCClient<ConsoleClient>(new RPCLink({ port: port.port }));
  port.port.start();
  return client;
}

describe('the computer', () => {
  it.each(['suspend', 'lock-screen'])('tells the host of %s, so that the wallet locks', async (event) => {
    await harness.open();
    expect(harness.host.calls).not.toContain('sleep');
    harness.electron.powerMonitor.emit(event);
    expect(harness.host.calls.at(-1)).toBe('sleep');
  });
});

describe('the start of the application', () => {
  it('sets up the sandbox, the scheme and the lock before Electron is ready', async () => {
    const window = await harness.open();
    expect(harness.electron.app.calls).toEqual(['enableSandbox', 'lock']);
    expect(harness.electron.schemes).toEqual([
      {
        scheme: 'planchet',
        privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
      },
    ]);
    expect(harness.electron.app.paths.get('userData')).toBe(join(harness.folder, 'data', 'window'));
    for (const folder of ['data', 'data/window'])
      expect(statSync(join(harness.folder, folder)).mode & 0o777).toBe(0o700);
    expect(window.loaded).toBe('planchet://app/');
    expect(harness.host.calls).toEqual(['create', 'start']);
    expect(harness.electron.menus).toHaveLength(1);
  });

  it('opens a window without privileges', async () => {
    const { options } = await harness.open();
    expect(options.webPreferences).toMatchObject({
      preload: '/app/preload/index.cjs',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      spellcheck: false,
      devTools: false,
    });
    expect(options.webPreferences).not.toHaveProperty('enableBlinkFeatures');
    expect(options.show).toBe(false);
  });

  it('shows the window when there is something to see', async () => {
    const window = await harness.open();
    expect(window.calls).toEqual([]);
    window.emit('ready-to-show');
    expect(window.calls).toEqual(['show']);
  });

  it('passes the options of the command line to the host, and skips switches of Electron', async () => {
    await harness.open({
      args: [
        '--data-dir',
        join(harness.folder, 'data'),
        '--set',
        'rpcBind=:0',
        '--set=logLevel=debug',
        '--network',
        'test',
        '--safe-mode',
        '--enable-features=Some',
      ],
    });
    expect(harness.host.options()).toMatchObject({
      dataDir: join(harness.folder, 'data'),
      version: '0.1.0',
      overrides: { rpcBind: ':0', logLevel: 'debug', network: 'test' },
      safeMode: true,
    });
    expect(await harness.host.options().keychain.available()).toBe(true);
  });

  it('quits if another instance runs, which then shows its window', async () => {
    harness.electron.app.firstInstance = false;
    await harness.shell().run();
    expect(harness.electron.app.exitCode).toBe(0);
    expect(harness.host.calls).toEqual([]);

    harness.electron = new ElectronDouble();
    const window = await harness.open();
    window.minimized = true;
    harness.electron.app.emit('second-instance', new DoubleEvent(), ['/opt/planchet']);
    expect(window.calls).toEqual(['restore', 'show', 'focus']);
  });

  it('says why it cannot start, and ends', async () => {
    harness.host = directHost(harness.fake.context, {
      create: async () => {
        throw new PlanchetError({
          code: 'store-locked',
          message: 'Another Planchet uses this folder.',
          hint: 'Stop it first.',
        });
      },
    });
    await harness.shell().run();
    expect(harness.electron.errorBoxes).toEqual([
      { title: 'Planchet could not start', content: 'Another Planchet uses this folder.\n\nStop it first.' },
    ]);
    expect(harness.electron.app.exitCode).toBe(1);
    expect(harness.electron.windows).toEqual([]);
  });

  it('says that an option is wrong, and that a folder cannot be written', async () => {
    await harness.shell({ args: ['--set', 'novalue'] }).run();
    const { errorBoxes } = harness.electron;
    harness.electron = new ElectronDouble();
    writeFileSync(join(harness.folder, 'file'), '');
    await harness.shell({ args: ['--data-dir', join(harness.folder, 'file', 'below')] }).run();
    expect([...errorBoxes, ...harness.electron.errorBoxes].map(({ content }) => content)).toEqual([
      expect.stringContaining('--set takes key=value.'),
      expect.stringContaining('cannot be written'),
    ]);
    expect(harness.electron.app.exitCode).toBe(1);
    expect(harness.host.calls).toEqual([]);
  });

  it.each(['remote-debugging-port', 'inspect'])('refuses --%s once it is packaged', async (name) => {
    harness.electron.app.switches.add(name);
    await harness.shell().run();
    expect(harness.electron.app.exitCode).toBe(1);
    expect(harness.electron.terminal).toHaveLength(1);
    expect(harness.host.calls).toEqual([]);

    harness.electron = new ElectronDouble();
    harness.electron.app.switches.add(name);
    harness.electron.app.isPackaged = false;
    expect((await harness.open()).options.webPreferences?.devTools).toBe(true);
  });

  it('tells in a dialog who starts an AppImage that its sandbox is missing', async () => {
    harness.electron.app.switches.add('no-sandbox');
    await harness.shell().run();
    expect(harness.electron.errorBoxes.map(({ content }) => content)).toEqual([
      expect.stringContaining('Debian package'),
    ]);
    expect(harness.electron.app.exitCode).toBe(1);
    expect(harness.host.calls).toEqual([]);
  });
});

it('the application has the name on Windows that its installer gives the shortcut', async () => {
  await harness.open({ platform: 'win32' });
  const packed = readFileSync(new URL('../../../electron-builder.yml', import.meta.url), 'utf8');
  expect(harness.electron.app.calls).toContain(`id ${/^appId: (.+)$/m.exec(packed)?.[1]}`);
});

it('the shell guards the contents of its window', async () => {
  const { webContents } = await harness.open();
  const event = new DoubleEvent('https://evil.example/');
  webContents.emit('will-navigate', event);
  expect(event.prevented).toBe(true);
  expect(webContents.windowOpenHandler?.({ url: 'https://a.example/' })).toEqual({ action: 'deny' });
});

describe('the port of a window', () => {
  it('reaches the page, and through it the page reaches the handlers', async () => {
    const window = await harness.open();
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
    harness.electron.app.quit();
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
    const window = await harness.open();
    const frame = frameOf(window);
    askForPort(window, frame);
    expect(frame?.received ?? []).toEqual([]);
    expect(window.webContents.mainFrame.received).toEqual([]);
    expect(harness.fake.logs.join('')).toContain('asked for a port');
  });

  it('is not given to contents the shell did not open', async () => {
    const window = await harness.open();
    const frame = new DoubleFrame('planchet://app/');
    harness.electron.ipcMain.emit(PORT_CHANNEL, { senderFrame: frame, sender: {} });
    expect(frame.received).toEqual([]);
    expect(window.webContents.mainFrame.received).toEqual([]);
  });

  it('is replaced when the page reloads, and closed when the page is gone', async () => {
    const window = await harness.open();
    const frame = window.webContents.mainFrame;
    const subscribed = async (at: number): Promise<void> => {
      const stream = await clientOf(frame.received[at]?.ports[0] as DoublePort).events.subscribe();
      await stream.next();
    };
    // The shell itself listens as well, to keep the computer awake.
    const own = harness.fake.hub.size;
    askForPort(window);
    await subscribed(0);
    askForPort(window);
    await expect.poll(() => harness.fake.hub.size).toBe(own);
    await subscribed(1);
    expect(harness.fake.hub.size).toBe(own + 1);
    window.webContents.emit('render-process-gone', new DoubleEvent(), { reason: 'crashed' });
    await expect.poll(() => harness.fake.hub.size).toBe(own);
    askForPort(window);
    await subscribed(2);
    window.webContents.emit('destroyed');
    await expect.poll(() => harness.fake.hub.size).toBe(own);
    askForPort(window);
    expect(frame.received).toHaveLength(3);
  });
});

describe('a page that stops working', () => {
  const crash = async (window: DoubleWindow): Promise<void> => {
    window.webContents.emit('render-process-gone', new DoubleEvent(), { reason: 'crashed' });
    await expect.poll(() => harness.electron.questions).toHaveLength(1);
    await Promise.resolve();
  };

  it('is loaded again on demand', async () => {
    const window = await harness.open();
    await crash(window);
    await expect.poll(() => window.webContents.reloads).toBe(1);
    expect(harness.electron.app.exitCode).toBeUndefined();
    expect(harness.fake.logs.join()).toContain('the window stopped working');
  });

  it('ends the application on demand', async () => {
    harness.electron.answer = 1;
    await crash(await harness.open());
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
    expect(harness.host.calls).toEqual(['create', 'start', 'stop']);
  });
});

describe('the end of the application', () => {
  it('waits until the host has stopped', async () => {
    let finish: () => void = () => {};
    harness.host = directHost(harness.fake.context, {
      stop: () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    });
    await harness.open();
    harness.electron.app.quit();
    harness.electron.app.quit();
    expect(harness.electron.app.exitCode).toBeUndefined();
    finish();
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
    expect(harness.host.calls).toEqual(['create', 'start', 'stop']);
  });

  it('does not wait forever', async () => {
    harness.host = directHost(harness.fake.context, { stop: () => new Promise<void>(() => {}) });
    await harness.open({ stopLimitMs: 30 });
    harness.electron.app.quit();
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
  });

  it('comes with the last window, but not on macOS, where the dock opens a new one', async () => {
    const window = await harness.open({ platform: 'darwin' });
    window.emit('closed');
    harness.electron.app.emit('window-all-closed');
    expect(harness.electron.app.exitCode).toBeUndefined();
    harness.electron.app.emit('activate');
    expect(harness.electron.windows).toHaveLength(2);

    harness.electron = new ElectronDouble();
    await harness.open();
    harness.electron.app.emit('window-all-closed');
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
  });

  it('comes with a signal', async () => {
    let signal: () => void = () => {};
    await harness.open({
      onSignal: (listener) => {
        signal = listener;
      },
    });
    signal();
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
    expect(harness.host.calls).toContain('stop');
  });
});

describe('the computer', () => {
  it('is kept awake while something is minted, and until then and afterwards it is not', async () => {
    await harness.open();
    await expect.poll(() => harness.electron.trays[0]?.toolTip).toBe('Planchet: Running');
    const summary = workingMint;
    harness.fake.hub.publish({ type: 'job', job: { ...summary, active: true } });
    await expect.poll(() => [...harness.electron.blocks.values()]).toEqual(['prevent-app-suspension']);
    harness.fake.hub.publish({ type: 'job', job: { ...summary, active: true } });
    harness.fake.hub.publish({ type: 'job', job: { ...summary, active: false } });
    await expect.poll(() => harness.electron.blocks.size).toBe(0);
    harness.fake.hub.publish({ type: 'job', job: { ...summary, active: true } });
    await expect.poll(() => harness.electron.blocks.size).toBe(1);
    harness.electron.app.quit();
    await expect.poll(() => harness.electron.blocks.size).toBe(0);
  });
});

describe('the real host', () => {
  it('runs under the shell and answers its page', async () => {
    const ports = ['consoleAddress', 'rpcBind', 'writerBind', 'sandbox.bind'].map((key) => `--set=${key}=127.0.0.1:0`);
    const zmq = ['zmqAddress', 'sandbox.zmqAddress'].map((key) => `--set=${key}=tcp://127.0.0.1:0`);
    const window = await harness.open({
      openHost: utilityHosts({ electron: harness.electron.api, entry: hostEntry, pictures: '' }),
      args: ['--data-dir', join(harness.folder, 'data'), ...ports, ...zmq],
    });
    expect(harness.electron.errorBoxes).toEqual([]);
    askForPort(window);
    const client = clientOf(window.webContents.mainFrame.received[0]?.ports[0] as DoublePort);
    expect(await client.app.info()).toMatchObject({ shell: 'desktop', network: 'sandbox' });
    const services = await client.services.list();
    expect(services.filter(({ status }) => status.state !== 'running')).toEqual([]);
    harness.electron.app.quit();
    await expect.poll(() => harness.electron.app.exitCode, { timeout: 30_000 }).toBe(0);
    expect(existsSync(join(harness.folder, 'data', 'planchet.lock'))).toBe(false);
  });
});
