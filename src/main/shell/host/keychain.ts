import type { SafeStorage } from 'electron';

/** The operating system's keychain, as the vault uses it. */
export interface ShellKeychain {
  available(): Promise<boolean>;
  encrypt(text: string): Promise<Uint8Array>;
  decrypt(sealed: Uint8Array): Promise<string>;
  /** True where it protects nothing: on Linux without a keyring service the key is a constant. */
  readonly weak: boolean;
}

/**
 * Wraps Electron's `safeStorage`. Only its asynchronous functions are used; the others are on their way out.
 * @param platform as `process.platform`
 */
export function createKeychain(safeStorage: SafeStorage, platform: NodeJS.Platform): ShellKeychain {
  return {
    available: () => safeStorage.isAsyncEncryptionAvailable(),
    encrypt: async (text) => new Uint8Array(await safeStorage.encryptStringAsync(text)),
    decrypt: async (sealed) => {
      const bytes = Buffer.from(sealed);
      const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(bytes);
      // The key was rotated in between: the second reply uses the new one.
      return shouldReEncrypt ? (await safeStorage.decryptStringAsync(bytes)).result : result;
    },
    get weak() {
      return platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend());
    },
  };
}
