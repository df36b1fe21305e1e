import { describe, expect, it } from 'vitest';
import { hasSandbox } from './electron-binary.ts';

const on = (
  platform: NodeJS.Platform,
  settings: Readonly<Record<string, string>>,
  { hasHelper = false, isRoot = false } = {},
): boolean => hasSandbox({ platform, isRoot, setting: (name) => settings[name], hasHelper: () => hasHelper });

describe('the process sandbox that Electron needs', () => {
  it('is available on a plain Linux, and on other systems', () => {
    expect(on('linux', {})).toBe(true);
    expect(on('linux', { 'kernel/unprivileged_userns_clone': '1', 'user/max_user_namespaces': '63000' })).toBe(true);
    expect(on('darwin', { 'user/max_user_namespaces': '0' })).toBe(true);
  });

  it('is missing for root, since Chromium exits at once when run as root', () => {
    expect(on('linux', {}, { isRoot: true, hasHelper: true })).toBe(false);
  });

  it.each([
    ['kernel/apparmor_restrict_unprivileged_userns', '1'],
    ['kernel/unprivileged_userns_clone', '0'],
    ['user/max_user_namespaces', '0'],
  ])('is missing where %s is %s, unless its helper is set up', (name, value) => {
    expect(on('linux', { [name]: value })).toBe(false);
    expect(on('linux', { [name]: value }, { hasHelper: true })).toBe(true);
  });
});
