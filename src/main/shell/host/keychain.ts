import type { Keychain } from '../../vault/vault.ts';
import type { ElectronApi } from '../electron-api.ts';
import type { Texts } from '../texts/texts.ts';

/** The operating system's keychain, as the vault uses it. */
export interface ShellKeychain extends Keychain {
  /** True where it protects nothing: on Linux without a keyring service the key is a constant. */
  readonly weak: boolean;
}

/** Prefix of what Chromium on Linux seals under a key that is written in its source. */
const KNOWN_KEY = 'v10';

/**
 * Wraps Electron's `safeStorage`. Only its asynchronous functions are used; the others are on their way out.
 * @param platform as `process.platform`
 * @param texts in the language of the moment
 */
export function createKeychain(
  { safeStorage, dialog }: Pick<ElectronApi, 'safeStorage' | 'dialog'>,
  platform: NodeJS.Platform,
  texts: () => Texts,
): ShellKeychain {
  const encrypt = async (text: string): Promise<Uint8Array> => {
    const sealed = await safeStorage.encryptStringAsync(text);
    // Electron uses that key if no keyring answers, even on a desktop that usually has one.
    if (platform === 'linux' && sealed.toString('latin1', 0, KNOWN_KEY.length) === KNOWN_KEY)
      throw new Error('no keyring answered, so the seal would protect nothing');
    return new Uint8Array(sealed);
  };
  /** Electron calls its keychain available on Linux even where there is none, so one seal is tried. */
  const sealsForReal = async (): Promise<boolean> =>
    platform !== 'linux' ||
    encrypt('probe').then(
      () => true,
      () => false,
    );
  /** The new seal replaces one that works, so it is opened once first. */
  const resealed = async (text: string): Promise<Uint8Array | undefined> => {
    try {
      const sealed = await encrypt(text);
      return (await safeStorage.decryptStringAsync(Buffer.from(sealed))).result === text ? sealed : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    available: async () => (await safeStorage.isAsyncEncryptionAvailable()) && (await sealsForReal()),
    encrypt,
    decrypt: async (sealed) => {
      const { result: text, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(sealed));
      // Without a new seal, the earlier one still works.
      return shouldReEncrypt ? { text, resealed: await resealed(text) } : { text };
    },
    allowsPassphrase: async () => {
      const { passphraseQuestion: message, passphraseDetail: detail, passphraseSet, cancel } = texts();
      const buttons = [passphraseSet, cancel];
      const { response } = await dialog.showMessageBox({
        type: 'question',
        message,
        detail,
        buttons,
        defaultId: 1,
        cancelId: 1,
      });
      return response === 0;
    },
    get weak() {
      return platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend());
    },
  };
}
