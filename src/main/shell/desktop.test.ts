import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Approval } from '../../contract/index.ts';
import { workingMint } from '../../contract/test-support/working-mint.ts';
import { DoubleEvent } from './test-support/app-double.ts';
import { directHost } from './test-support/direct-host.ts';
import { ElectronDouble } from './test-support/electron-double.ts';
import { ShellHarness } from './test-support/shell-harness.ts';

let harness: ShellHarness;
beforeEach(() => {
  harness = new ShellHarness();
});
afterEach(() => harness.close());

describe('the desktop around the window', () => {
  const tray = () => harness.electron.trays[0] as (typeof harness.electron.trays)[number];

  it('shows in the tray and in the taskbar what the host does', async () => {
    const window = await harness.open();
    await expect.poll(() => tray().toolTip).toBe('Planchet: Running');
    expect(tray().image).toBe(join('/app/tray', 'running.png'));
    expect(window.progress?.share).toBe(-1);
    const job = workingMint;
    harness.fake.hub.publish({ type: 'job', job });
    await expect.poll(() => tray().toolTip).toBe('Planchet: 1 job is running');
    expect(window.progress).toEqual({ share: 2, mode: 'indeterminate' });
    const failure = { code: 'internal', message: 'm' } as const;
    harness.fake.hub.publish({
      type: 'service',
      service: { name: 'writer', status: { state: 'failed', failure }, since: 1 },
    });
    await expect.poll(() => tray().image).toBe(join('/app/tray', 'problem.png'));
    const { drawn } = tray();
    harness.fake.hub.publish({ type: 'theme', theme: 'dark' });
    harness.fake.hub.publish({ type: 'job', job: { ...job, active: false } });
    await expect.poll(() => window.progress?.share).toBe(-1);
    // A menu that is open is not drawn anew for nothing.
    expect(tray().drawn).toBe(drawn);
    harness.electron.app.quit();
    await expect.poll(() => tray().destroyed).toBe(true);
  });

  it('opens, copies the endpoint, locks and quits from the tray', async () => {
    const window = await harness.open();
    await expect.poll(() => tray().toolTip).toContain('Running');
    expect(() => tray().press('Copy node endpoint')).toThrow('no line');
    const endpoints = {
      console: null,
      rpc: 'http://127.0.0.1:8332',
      zmq: null,
      writer: null,
      sandbox: null,
      baseUrl: null,
      mapi: null,
    };
    harness.fake.hub.publish({ type: 'endpoints', endpoints });
    await expect.poll(() => tray().menu.map(({ label }) => label)).toContain('Node endpoint: http://127.0.0.1:8332');
    tray().press('Copy node endpoint');
    expect(harness.electron.copied).toEqual(['http://127.0.0.1:8332']);
    const lock = vi.fn(harness.fake.context.wallet.status);
    Object.assign(harness.fake.context.wallet, { lock: async () => lock() });
    tray().press('Lock wallet');
    await expect.poll(() => lock).toHaveBeenCalledOnce();
    window.calls.length = 0;
    tray().press('Open Planchet');
    expect(window.calls).toEqual(['show', 'focus']);
    tray().press('Quit');
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
  });

  it('asks once what closing does, and keeps to it', async () => {
    const window = await harness.open();
    window.close();
    await expect.poll(() => window.calls).toEqual(['hide']);
    expect(harness.electron.questions.map(({ message }) => message)).toEqual([
      'Keep Planchet running when its window is closed?',
    ]);
    window.close();
    expect(window.calls).toEqual(['hide', 'hide']);
    expect(harness.electron.questions).toHaveLength(1);
    expect(harness.preferences.get('onClose')).toBe('tray');
    expect(harness.electron.app.exitCode).toBeUndefined();
  });

  it('asks again where the answer was not to be remembered, and quits where that was the answer', async () => {
    harness.electron.checkbox = false;
    const window = await harness.open();
    window.close();
    await expect.poll(() => window.calls).toEqual(['hide']);
    expect(harness.preferences.get('onClose')).toBe('ask');
    harness.electron.answer = 1;
    window.close();
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
    expect(harness.host.calls).toEqual(['create', 'start', 'stop']);
  });

  it('hides no window that no icon would bring back', async () => {
    harness.electron.hasTray = false;
    const window = await harness.open({ args: ['--data-dir', join(harness.folder, 'data'), '--hidden'] });
    window.emit('ready-to-show');
    expect(window.calls).toEqual(['show']);
    window.close();
    expect(harness.electron.questions).toEqual([]);
    harness.electron.app.emit('window-all-closed');
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
  });

  it('waits in the tray after a start at login', async () => {
    const window = await harness.open({ args: ['--data-dir', join(harness.folder, 'data'), '--hidden'] });
    window.emit('ready-to-show');
    expect(window.calls).toEqual([]);
    tray().emit('click');
    expect(window.calls).toEqual(['show', 'focus']);
  });

  it('leaves the window alone on macOS, where a click on the icon opens its menu', async () => {
    const window = await harness.open({ platform: 'darwin' });
    window.calls.length = 0;
    tray().emit('click');
    expect(window.calls).toEqual([]);
    tray().press('Open Planchet');
    expect(window.calls).toEqual(['show', 'focus']);
  });

  it('waits out of sight where macOS opened it at login', async () => {
    harness.electron.app.openedAtLogin = true;
    const window = await harness.open({ platform: 'darwin' });
    window.emit('ready-to-show');
    expect(window.calls).toEqual([]);
  });

  it('opens where it was left, and on a screen that is there', async () => {
    const first = await harness.open();
    first.bounds = { x: 2000, y: 50, width: 1100, height: 700 };
    first.maximized = true;
    first.fullScreen = true;
    // Windows ends a session without closing windows.
    first.emit('session-end', new DoubleEvent());
    expect(harness.preferences.get('window')).toMatchObject({
      bounds: first.bounds,
      maximized: true,
      fullScreen: true,
    });
    first.close();
    harness.electron.app.quit();
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);

    harness.electron = new ElectronDouble();
    harness.electron.screens.push({ x: 1920, y: 0, width: 1920, height: 1040 });
    const second = await harness.open();
    expect(second.options).toMatchObject({ x: 2000, y: 50, width: 1100, height: 700 });
    second.emit('ready-to-show');
    expect([second.maximized, second.fullScreen]).toEqual([true, true]);
    harness.electron.app.quit();
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);

    harness.electron = new ElectronDouble();
    expect((await harness.open()).options).toMatchObject({ x: 410, y: 170, width: 1100, height: 700 });
  });

  it('tells what happened while the window is not in front; a click opens the view', async () => {
    const window = await harness.open();
    await expect.poll(() => tray().toolTip).toContain('Running');
    const job = workingMint;
    harness.fake.hub.publish({ type: 'job', job });
    harness.fake.hub.publish({ type: 'job', job: { ...job, active: false, awaitingApproval: true } });
    await expect.poll(() => harness.electron.notifications).toHaveLength(1);
    const [notification] = harness.electron.notifications;
    expect(notification).toMatchObject({ title: 'Your approval is needed', shown: true });
    notification?.emit('click');
    expect(window.loaded).toBe(`planchet://app/#/jobs/${job.id}`);
    expect(window.calls).toContain('focus');

    window.focused = true;
    harness.fake.hub.publish({ type: 'job', job });
    await expect.poll(() => window.progress?.share).not.toBe(-1);
    harness.fake.hub.publish({ type: 'job', job: { ...job, active: false, state: 'proven' } });
    await expect.poll(() => window.progress?.share).toBe(-1);
    expect(harness.electron.notifications).toHaveLength(1);

    // As macOS does for a program that is not signed.
    notification?.emit('failed', new DoubleEvent(), 'not allowed');
    expect(harness.fake.logs.join()).toContain('a notification was not shown');
  });

  it('tells the log of a process of Electron that stopped working', async () => {
    await harness.open();
    const gone = (reason: string): boolean =>
      harness.electron.app.emit('child-process-gone', new DoubleEvent(), { type: 'GPU', reason });
    gone('clean-exit');
    expect(harness.fake.logs.join()).not.toContain('a process of the application');
    gone('crashed');
    expect(harness.fake.logs.join()).toContain('a process of the application stopped working');
  });

  it('speaks the language of the host, from the first menu of the next start on', async () => {
    await harness.open();
    await expect.poll(() => tray().toolTip).toBe('Planchet: Running');
    harness.fake.hub.publish({ type: 'language', language: 'de' });
    await expect.poll(() => tray().toolTip).toBe('Planchet: Läuft');
    expect(harness.electron.menus.at(-1)?.map(({ label }) => label)).toContain('Bearbeiten');
    harness.electron.app.quit();
    harness.electron = new ElectronDouble();
    await harness.open();
    expect(harness.electron.menus[0]?.map(({ label }) => label)).toContain('Bearbeiten');
  });

  it('starts at login only once that was chosen', async () => {
    await harness.open({ platform: 'win32' });
    expect(harness.electron.app.loginItems).toEqual([]);
    const file = harness.electron.menus.at(-1)?.[0]?.submenu as {
      label?: string;
      click?: (item: { checked: boolean }) => void;
    }[];
    file.find(({ label }) => label === 'Start at login')?.click?.({ checked: true });
    expect(harness.electron.app.loginItems).toEqual([{ openAtLogin: true, args: ['--hidden'] }]);
    expect(harness.preferences.get('launchAtLogin')).toBe(true);
  });
});

describe('a link of the operating system', () => {
  const txid = '5f'.repeat(32);

  it('opens its view: at the start, in a second instance, and on macOS', async () => {
    const window = await harness.open({
      args: ['--data-dir', join(harness.folder, 'data'), `planchet://open/tx/${txid}`],
    });
    expect(harness.electron.app.protocols).toEqual(['planchet']);
    expect(window.loaded).toBe(`planchet://app/#/tx/${txid}`);
    harness.electron.app.emit('second-instance', new DoubleEvent(), ['/opt/planchet', 'planchet://open/wallet']);
    expect(window.loaded).toBe('planchet://app/#/wallet');
    const event = new DoubleEvent();
    harness.electron.app.emit('open-url', event, 'planchet://open/tokens');
    expect(event.prevented).toBe(true);
    expect(window.loaded).toBe('planchet://app/#/tokens');
  });

  it('that is not allowed only shows the window', async () => {
    const window = await harness.open();
    harness.electron.app.emit('second-instance', new DoubleEvent(), [
      '/opt/planchet',
      'planchet://open/wallet/send?to=x',
    ]);
    expect(window.loaded).toBe('planchet://app/');
    expect(window.calls).toEqual(['show', 'focus']);
  });

  it('is not registered for a program that runs from a folder', async () => {
    harness.electron.app.isPackaged = false;
    await harness.open();
    expect(harness.electron.app.protocols).toEqual([]);
  });
});

describe('another network', () => {
  it('starts the application anew', async () => {
    await harness.open();
    harness.host.options().onRestart();
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
    expect(harness.electron.app.calls).toContain('relaunch');
    expect(harness.started).toEqual([]);
  });

  it('starts the AppImage itself, after the host has stopped and the lock is free', async () => {
    const env = { APPIMAGE: '/home/a/Planchet.AppImage', APPDIR: '/tmp/.mount_a' };
    await harness.open({ env, executable: '/tmp/.mount_a/planchet' });
    harness.host.options().onRestart();
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
    expect(harness.started).toEqual([[env.APPIMAGE, '--data-dir', join(harness.folder, 'data')]]);
    expect(harness.host.calls.at(-1)).toBe('stop');
    expect(harness.electron.app.calls.slice(-2)).toEqual(['unlock', 'exit 0']);
    expect(harness.electron.app.calls).not.toContain('relaunch');
  });

  it('does not start an AppImage that only started this program', async () => {
    await harness.open({ env: { APPIMAGE: '/home/a/Terminal.AppImage', APPDIR: '/tmp/.mount_t' } });
    harness.host.options().onRestart();
    await expect.poll(() => harness.electron.app.calls).toContain('relaunch');
    expect(harness.started).toEqual([]);
  });
});

const waitingApproval: Approval = {
  id: 'a1',
  kind: 'budget',
  program: 'writer',
  method: 'write',
  amount: 1,
  askedAt: 1,
  transactions: [],
  transactionCount: 0,
  cap: 1,
  expiresAt: 2,
  digest: 'ab'.repeat(32),
};

describe('a page that cannot be trusted any more', () => {
  it('has every request that waits for an answer denied', async () => {
    const window = await harness.open();
    const gateway = harness.fake.context.gateway as NonNullable<typeof harness.fake.context.gateway>;
    vi.spyOn(gateway.origins, 'requests').mockResolvedValue([
      { id: 'p1', origin: 'https://a.example', code: null, askedAt: 1, expiresAt: 2 },
    ]);
    const decide = vi.spyOn(gateway.origins, 'decide').mockResolvedValue();
    const deny = vi.fn();
    Object.assign(harness.fake.context, {
      approvals: {
        ...harness.fake.context.approvals,
        list: async () => ({ waiting: [waitingApproval], permissions: [], records: [] }),
        deny,
      },
    });
    window.webContents.emit('render-process-gone', new DoubleEvent(), { reason: 'oom' });
    await expect.poll(() => deny).toHaveBeenCalledOnce();
    await expect.poll(() => decide).toHaveBeenCalledOnce();
    expect(decide.mock.calls[0]?.[0]).toMatchObject({ id: 'p1', allow: false });
    expect(harness.host.calls).not.toContain('stop');
  });

  it('refuses what waits when its window is closed', async () => {
    const window = await harness.open({ platform: 'darwin' });
    const gateway = harness.fake.context.gateway as NonNullable<typeof harness.fake.context.gateway>;
    const asked = vi.spyOn(gateway.origins, 'requests').mockResolvedValue([]);
    window.close();
    await expect.poll(() => asked).toHaveBeenCalled();
  });

  it('is loaded anew, or waited for, when it does not react', async () => {
    harness.electron.answer = 1;
    const window = await harness.open();
    window.emit('unresponsive');
    await expect.poll(() => harness.electron.questions).toHaveLength(1);
    expect(window.webContents.reloads).toBe(0);
    await Promise.resolve();
    harness.electron.answer = 0;
    window.emit('unresponsive');
    await expect.poll(() => window.webContents.reloads).toBe(1);
    // The crash was ours: nobody is asked about it.
    expect(harness.electron.questions).toHaveLength(2);
    window.webContents.emit('render-process-gone', new DoubleEvent(), { reason: 'crashed' });
    await expect.poll(() => harness.electron.questions).toHaveLength(3);
  });
});

describe('a version that does not start', () => {
  const failing = async (version: string): Promise<void> => {
    harness.electron = new ElectronDouble();
    harness.host = directHost(harness.fake.context, { create: () => Promise.reject(new Error('broken')) });
    await harness.shell({ version }).run();
    expect(harness.electron.app.exitCode).toBe(1);
  };
  const good = async (version: string): Promise<void> => {
    harness.electron = new ElectronDouble();
    harness.host = directHost(harness.fake.context);
    await harness.open({ version });
    harness.electron.app.quit();
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
  };

  it('offers the one before it at the third start, and opens its installer', async () => {
    await harness.open({ version: '1.0.0' });
    const installer = join(harness.folder, 'planchet-1.0.0');
    writeFileSync(installer, '');
    harness.preferences.set('installer', { version: '1.0.0', path: installer });
    harness.electron.app.quit();
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
    await failing('1.1.0');
    await failing('1.1.0');
    expect(harness.electron.questions).toEqual([]);

    harness.electron = new ElectronDouble();
    harness.electron.answer = 1;
    harness.host = directHost(harness.fake.context);
    await harness.shell({ version: '1.1.0' }).run();
    expect(harness.electron.questions).toMatchObject([{ message: 'Planchet 1.1.0 did not start properly twice.' }]);
    expect(harness.electron.opened).toEqual([installer]);
    expect(harness.electron.app.exitCode).toBe(0);
    expect(harness.host.calls).toEqual([]);
  });

  it('counts as one that starts once it was quit in order', async () => {
    await good('1.0.0');
    await failing('1.1.0');
    await good('1.1.0');
    await failing('1.1.0');
    await failing('1.1.0');
    await failing('1.1.0');
    expect(harness.electron.questions).toEqual([]);
  });
});
