import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Conf from 'conf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ElectronDouble } from '../test-support/electron-double.ts';
import { setLoginItem } from './login-item.ts';
import { firstLanguage, type Preferences, preferenceOptions } from './preferences.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-preferences-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (): string => join(folder, 'shell.json');
/** `electron-store` is this class; it adds where Electron keeps such files. */
const open = (version = '0.1.0', migrations: Parameters<typeof preferenceOptions>[1] = {}) =>
  new Conf<Preferences>({ ...preferenceOptions(version, migrations), cwd: folder, configName: 'shell' });

describe('the preferences of the shell', () => {
  it('begin with defaults that start nothing by themselves', () => {
    const store = open();
    expect(store.store).toMatchObject({ onClose: 'ask', launchAtLogin: false, notifications: true, updates: 'notify' });
  });

  it('are kept, and only their owner can read them', () => {
    open().set('window', { bounds: { x: -5, y: 6, width: 1000, height: 700 }, maximized: true, fullScreen: false });
    expect(open().get('window')).toEqual({
      bounds: { x: -5, y: 6, width: 1000, height: 700 },
      maximized: true,
      fullScreen: false,
    });
    if (process.platform !== 'win32') expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['cut off', '{"onClose":"tr'],
    ['empty', ''],
    ['no object', '[1,2]'],
    ['of another type', '{"launchAtLogin":"yes"}'],
    [
      'out of range',
      '{"window":{"bounds":{"x":1e99,"y":0,"width":1,"height":1},"maximized":false,"fullScreen":false}}',
    ],
    ['unknown to the choice', '{"updates":"always"}'],
    ['binary', '\0\x01\xff'],
  ])('fall back to their defaults where the file is %s', (_what, text) => {
    writeFileSync(file(), text);
    const store = open();
    expect(store.get('onClose')).toBe('ask');
    expect(store.get('window').bounds).toBeNull();
    store.set('onClose', 'tray');
    expect(open().get('onClose')).toBe('tray');
  });

  it('refuse a value that the schema does not allow', () => {
    expect(() => open().set('onClose', 'sometimes' as 'ask')).toThrow(/schema/);
  });

  it('run the migrations of a newer version once', () => {
    writeFileSync(file(), '{"onClose":"tray"}');
    open('0.1.0');
    const migrations = { '0.2.0': (store: Conf<Preferences>) => store.set('onClose', 'quit') };
    expect(open('0.2.0', migrations).get('onClose')).toBe('quit');
    open('0.2.0', migrations).set('onClose', 'tray');
    expect(open('0.2.0', migrations).get('onClose')).toBe('tray');
  });

  it.each([
    ['de-AT', null, 'de'],
    ['fr', null, 'en'],
    ['fr', 'de', 'de'],
  ] as const)('speak the language of a system in %s where %s was used last', (locale, last, language) => {
    const store = open();
    store.set('language', last);
    expect(firstLanguage(store, locale)).toBe(language);
  });
});

describe('the start at login', () => {
  const electron = new ElectronDouble();
  const linux = (env: NodeJS.ProcessEnv = {}) => ({
    electron: electron.api,
    platform: 'linux' as const,
    env: { HOME: folder, ...env },
    executable: '/opt/My "App" 100%/planchet',
  });
  const entry = (): string => readFileSync(join(folder, '.config/autostart/planchet.desktop'), 'utf8');

  it('is an entry of the desktop on Linux, and is taken away again', () => {
    setLoginItem(true, linux());
    expect(entry()).toContain('Exec="/opt/My \\\\"App\\\\" 100%%/planchet" --hidden\n');
    const image = { APPIMAGE: '/home/a/Planchet.AppImage', APPDIR: '/tmp/.mount_a' };
    setLoginItem(true, { ...linux(image), executable: '/tmp/.mount_a/planchet' });
    expect(entry()).toContain('Exec="/home/a/Planchet.AppImage" --hidden\n');
    setLoginItem(false, linux());
    expect(entry).toThrow('ENOENT');
    setLoginItem(false, linux());
  });

  it.each(['win32', 'darwin'] as const)('is an item of the system on %s', (platform) => {
    setLoginItem(true, { ...linux(), platform });
    expect(electron.app.loginItems.at(-1)).toEqual({ openAtLogin: true, args: ['--hidden'] });
  });
});
