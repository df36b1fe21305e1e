import { describe, expect, it } from 'vitest';
import { ElectronDouble } from '../test-support/electron-double.ts';
import { createKeychain } from './keychain.ts';

describe('createKeychain', () => {
  it('encrypts and decrypts a text', async () => {
    const { safeStorage } = new ElectronDouble().api;
    const keychain = createKeychain(safeStorage, 'linux');
    const sealed = await keychain.encrypt('secret');
    expect(Buffer.from(sealed).toString()).not.toBe('secret');
    expect(await keychain.decrypt(sealed)).toBe('secret');
    expect(await keychain.available()).toBe(true);
  });

  it('asks again when the key was rotated meanwhile', async () => {
    const { safeStorage } = new ElectronDouble().api;
    const answers = [
      { result: 'old', shouldReEncrypt: true },
      { result: 'new', shouldReEncrypt: false },
    ];
    const rotating = Object.assign(safeStorage, { decryptStringAsync: async () => answers.shift() });
    expect(await createKeychain(rotating, 'darwin').decrypt(new Uint8Array([1]))).toBe('new');
  });

  it.each([
    ['linux', 'basic_text', true],
    ['linux', 'unknown', true],
    ['linux', 'gnome_libsecret', false],
    ['linux', 'kwallet6', false],
    ['win32', 'basic_text', false],
    ['darwin', 'unknown', false],
  ] as const)('on %s with %s is weak: %s', (platform, backend, weak) => {
    const electron = new ElectronDouble();
    electron.backend = backend;
    expect(createKeychain(electron.api.safeStorage, platform).weak).toBe(weak);
  });
});
