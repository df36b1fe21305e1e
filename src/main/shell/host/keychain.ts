import type { SafeStorage } from 'electron';
import type { Keychain } from '../../vault/vault.ts';

/** The operating system's keychain, as the vault uses it. */
export interface ShellKeychain extends Keychain {
  /** True where it protects nothing: on Linux without a keyring service the key is a constant. */
  readonly weak: boolean;
}

/**
 * Wraps Electron's `safeStorage`. Only its asynchronous functions are used; the others are on their way out.
 * @param platform as `process.platform`
 */
export function createKeychain(safeStorage: SafeStorage, platform: NodeJS.Platform): ShellKeychain {
  const encrypt = async (text: string) => new Uint8Array(await safeStorage.encryptStringAsync(text));
  return {
    available: () => safeStorage.isAsyncEncryptionAvailable(),
    encrypt,
    decrypt: async (sealed) => {
      const { result: text, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(sealed));
      // Without a new seal the earlier one goes on to work.
      return shouldReEncrypt ? { text, resealed: await encrypt(text).catch(() => undefined) } : { text };
    },
    get weak() {
      return platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend());
    },
  };
}
