import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, it } from 'vitest';
import type { Preferences } from '../preferences/preferences.ts';
import { textsIn } from '../texts/texts.ts';
import type { ShellActions } from './actions.ts';
import { menuTemplate } from './menu.ts';

function menuOf(platform: NodeJS.Platform, options: { development?: boolean; updates?: boolean } = {}) {
  const done: string[] = [];
  const actions: ShellActions = {
    open: (view) => void done.push(`open ${view}`),
    lock: () => void done.push('lock'),
    copyEndpoint: () => void done.push('copy'),
    quit: () => void done.push('quit'),
    preference: <K extends keyof Preferences>(key: K) =>
      ({ onClose: 'ask', launchAtLogin: false, notifications: true, updates: 'notify' })[
        key as 'onClose'
      ] as Preferences[K],
    setPreference: (key, value) => void done.push(`${key}=${value}`),
    checkForUpdate: () => void done.push('check'),
  };
  const { development = false, updates = true } = options;
  const template = menuTemplate({ platform, development, texts: textsIn('en'), actions, updates });
  return { template, done, all: flat(template) };
}

function flat(items: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] {
  return items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? flat(item.submenu) : [])]);
}

const platforms: NodeJS.Platform[] = ['linux', 'win32', 'darwin'];

describe('menuTemplate', () => {
  it('offers developer tools in development alone', () => {
    const roles = (development: boolean): unknown[] => menuOf('linux', { development }).all.map(({ role }) => role);
    expect(roles(true)).toEqual(expect.arrayContaining(['toggleDevTools', 'reload']));
    for (const role of ['toggleDevTools', 'reload', 'forceReload']) expect(roles(false)).not.toContain(role);
  });

  it('begins with the application on macOS, as its guidelines have it', () => {
    const [first] = menuOf('darwin').template;
    const roles = flat([first as MenuItemConstructorOptions]).flatMap(({ role }) => role ?? []);
    expect(first?.label).toBe('Planchet');
    expect(roles).toEqual(['about', 'services', 'hide', 'hideOthers', 'unhide', 'quit']);
  });

  it.each(platforms)('has a way to quit on %s, and every line does something', (platform) => {
    const { all } = menuOf(platform);
    expect(all.some(({ role }) => role === 'quit')).toBe(true);
    for (const item of all) {
      expect([item.label, item.role ?? item.click ?? item.submenu ?? item.type]).not.toEqual([item.label, undefined]);
    }
    const keys = all.flatMap(({ accelerator }) => accelerator ?? []);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('goes to views, locks, and sets what the shell remembers', () => {
    const { all, done } = menuOf('linux');
    const press = (label: string, checked = true): void => {
      const click = all.find((item) => item.label === label)?.click as unknown as (item: { checked: boolean }) => void;
      click({ checked });
    };
    for (const label of ['Settings…', 'Dashboard', 'Planchet help', 'Lock wallet', 'Start at login']) press(label);
    press('Notifications', false);
    press('Keep running in the tray');
    press('Never look for updates');
    press('Look for an update now');
    expect(done).toEqual([
      'open /settings',
      'open /',
      'open /help',
      'lock',
      'launchAtLogin=true',
      'notifications=false',
      'onClose=tray',
      'updates=off',
      'check',
    ]);
    expect(all.find(({ label }) => label === 'Start at login')?.checked).toBe(false);
    expect(all.find(({ label }) => label === 'Tell me about updates')?.checked).toBe(true);
  });

  it('leaves out what a system does not have', () => {
    const labels = (platform: NodeJS.Platform, updates: boolean) =>
      menuOf(platform, { updates }).all.map(({ label }) => label);
    expect(labels('darwin', true)).not.toContain('When the window is closed');
    expect(labels('linux', false)).not.toContain('Updates');
  });
});
