import { describe, expect, it } from 'vitest';
import { ElectronDouble } from '../test-support/electron-double.ts';
import { textsIn } from '../texts/texts.ts';
import { createKeychain } from './keychain.ts';

const texts = () => textsIn('en');

describe('createKeychain', () => {
  it('encrypts and decrypts a text', async () => {
    const keychain = createKeychain(new ElectronDouble().api, 'linux', texts);
    const sealed = await keychain.encrypt('secret');
    expect(Buffer.from(sealed).toString()).not.toBe('secret');
    expect(await keychain.decrypt(sealed)).toEqual({ text: 'secret' });
    expect(await keychain.available()).toBe(true);
  });

  it('seals a text anew whose key was rotated', async () => {
    const electron = new ElectronDouble();
    const keychain = createKeychain(electron.api, 'darwin', texts);
    const sealed = await keychain.encrypt('secret');
    electron.keyVersion = 2;
    const { text, resealed } = await keychain.decrypt(sealed);
    expect(text).toBe('secret');
    expect(resealed).not.toEqual(sealed);
    expect(await keychain.decrypt(resealed as Uint8Array)).toEqual({ text: 'secret' });
  });

  it('hands over no new seal that does not open', async () => {
    const electron = new ElectronDouble();
    const { safeStorage, dialog } = electron.api;
    const forgetful = Object.assign(Object.create(safeStorage) as typeof safeStorage, {
      encryptStringAsync: async (text: string) => safeStorage.encryptStringAsync(electron.keyVersion > 1 ? '' : text),
    });
    const keychain = createKeychain({ safeStorage: forgetful, dialog }, 'darwin', texts);
    const sealed = await keychain.encrypt('secret');
    electron.keyVersion = 2;
    expect(await keychain.decrypt(sealed)).toEqual({ text: 'secret', resealed: undefined });
  });

  it('is none on Linux where no keyring answers, whatever the name of the desktop promises', async () => {
    const { safeStorage, dialog } = new ElectronDouble().api;
    const withoutKeyring = Object.assign(Object.create(safeStorage) as typeof safeStorage, {
      encryptStringAsync: async (text: string) => Buffer.from(`v10${text}`),
    });
    const keychain = createKeychain({ safeStorage: withoutKeyring, dialog }, 'linux', texts);
    expect(keychain.weak).toBe(false);
    expect(await keychain.available()).toBe(false);
    await expect(keychain.encrypt('secret')).rejects.toThrow('no keyring');
    // Elsewhere every seal begins so.
    expect(await createKeychain({ safeStorage: withoutKeyring, dialog }, 'darwin', texts).available()).toBe(true);
  });

  it('asks the person before a vault gets a passphrase, and takes only a press of that button for a yes', async () => {
    const electron = new ElectronDouble();
    const keychain = createKeychain(electron.api, 'darwin', () => textsIn('de'));
    electron.answer = 0;
    expect(await keychain.allowsPassphrase()).toBe(true);
    electron.answer = 1;
    expect(await keychain.allowsPassphrase()).toBe(false);
    const { passphraseQuestion: message, passphraseSet, cancel } = textsIn('de');
    expect(electron.questions[0]).toMatchObject({
      message,
      buttons: [passphraseSet, cancel],
      defaultId: 1,
      cancelId: 1,
    });
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
    expect(createKeychain(electron.api, platform, texts).weak).toBe(weak);
  });
});
