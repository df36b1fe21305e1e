import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MIN_PASSPHRASE, type Network, PlanchetError, type WalletVault } from '../../contract/index.ts';
import type { LockableVault, PassphraseOf, SecretName, SecretStore } from '../ports/secrets.ts';
import { type Keychain, type KeySource, keychainSource, keyFileSource, passphraseSource } from './key-sources.ts';
import { DEFAULT_SCRYPT, type ScryptCost } from './scrypt-cost.ts';
import { SealedFile } from './sealed-file.ts';

export type { Keychain, ScryptCost };

export interface OpenVaultOptions {
  dataDir: string;
  network: Network;
  /** Asked when the vault needs its passphrase and no keychain has the key; undefined leaves the vault locked. */
  passphrase?: PassphraseOf;
  keychain?: Keychain;
  /** Cost of a passphrase that is newly set. */
  scrypt?: ScryptCost;
}

/**
 * Secrets of the installation, in two files: `vault.json`, sealed under the keychain's or the passphrase's key, and
 * `vault-sandbox.json`, sealed under `sandbox.key` next to it. The second holds only what belongs to the sandbox, whose keys protect
 * nothing, so that a sandbox starts without a question.
 */
export class Vault implements SecretStore, LockableVault {
  readonly #network: Network;
  /** On the sandbox a damaged `vault.json` does not matter until one of its secrets is needed. */
  readonly #real: SealedFile | PlanchetError;
  readonly #sandbox: SealedFile | undefined;
  readonly #sandboxSource: KeySource;
  readonly #passphraseOf: PassphraseOf;
  readonly #passphrase: KeySource;
  readonly #keychain: Keychain | undefined;
  readonly #scrypt: ScryptCost;

  private constructor(real: SealedFile | PlanchetError, sandbox: SealedFile | undefined, options: OpenVaultOptions) {
    this.#real = real;
    this.#sandbox = sandbox;
    this.#network = options.network;
    this.#scrypt = options.scrypt ?? DEFAULT_SCRYPT;
    this.#sandboxSource = keyFileSource(join(options.dataDir, 'sandbox.key'));
    this.#passphraseOf = options.passphrase ?? (async () => undefined);
    this.#passphrase = passphraseSource(longIfNew(this.#passphraseOf), this.#scrypt);
    this.#keychain = options.keychain?.weak ? undefined : options.keychain;
  }

  /**
   * Opens the vault of a data folder, which is made by the first secret stored. On the test and main networks the keychain is tried first,
   * then the passphrase; with neither the vault is locked. On the sandbox network only the sandbox's own file is opened.
   * @throws PlanchetError `vault-passphrase-wrong`, `vault-damaged`: no byte of a file was changed
   */
  static async open(options: OpenVaultOptions): Promise<Vault> {
    const { dataDir, network } = options;
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const sandbox = network === 'sandbox' ? await SealedFile.open(join(dataDir, 'vault-sandbox.json')) : undefined;
    const path = join(dataDir, 'vault.json');
    const real = await SealedFile.open(path).catch((error: unknown) => {
      if (sandbox && error instanceof PlanchetError) return error;
      throw error;
    });
    const vault = new Vault(real, sandbox, options);
    if (sandbox) await vault.#openSandbox(sandbox);
    else await vault.#mainFile().unlock(vault.#sources());
    return vault;
  }

  /** Whether the secrets of the active network cannot be read now. */
  get locked(): boolean {
    return (this.#sandbox ?? this.#mainFile()).locked;
  }

  get revision(): number {
    return (this.#real instanceof SealedFile ? this.#real.revision : 0) + (this.#sandbox?.revision ?? 0);
  }

  get(name: SecretName): Uint8Array | undefined {
    return this.#fileOf(name).get(name);
  }

  async set(name: SecretName, value: Uint8Array): Promise<void> {
    const file = this.#fileOf(name);
    await file.set(name, value, file === this.#sandbox ? this.#sandboxSource : await this.#sourceOfNew());
  }

  async delete(name: SecretName): Promise<void> {
    await this.#fileOf(name).delete(name);
  }

  /**
   * Opens a locked vault. Once it has a passphrase, the keychain opens it at the start of the program alone.
   * @throws PlanchetError `vault-locked` without a passphrase or keychain; `vault-passphrase-wrong`: nothing is changed and the next attempt is as good as the first
   */
  async unlock(passphrase: string): Promise<void> {
    if (this.#sandbox) return this.#openSandbox(this.#sandbox);
    const file = this.#mainFile();
    const hasPassphrase = file.hasSlot('passphrase');
    const keychain = this.#keychain && !hasPassphrase ? [keychainSource(this.#keychain)] : [];
    if (await file.unlock([passphraseSource(async () => passphrase), ...keychain])) return;
    throw new PlanchetError(hasPassphrase ? 'vault.locked' : 'vault.keychain-refused');
  }

  /**
   * Tries a passphrase and changes nothing. On the sandbox, whose keys protect nothing, every one is right.
   * @throws PlanchetError `vault-passphrase-wrong`, `not-found` where the vault has no passphrase
   */
  async prove(passphrase: string): Promise<void> {
    if (this.#sandbox) return;
    const file = this.#mainFile();
    if (!file.hasSlot('passphrase')) throw new PlanchetError('vault.passphrase-not-set');
    await provePassphrase(file.path, passphrase);
  }

  /** Forgets the keys, until {@link unlock}. */
  lock(): void {
    if (this.#real instanceof SealedFile) this.#real.lock();
    this.#sandbox?.lock();
  }

  async access(): Promise<WalletVault> {
    if (this.#sandbox) return { keychain: false, passphrase: false, needsPassphrase: false };
    const file = this.#mainFile();
    const needsPassphrase =
      !file.exists && (await this.#usableKeychain()) === undefined && !(await this.#passphraseOf('at-hand'));
    return { keychain: file.hasSlot('keychain'), passphrase: file.hasSlot('passphrase'), needsPassphrase };
  }

  /**
   * Sets the passphrase of an open vault, or replaces it. The secrets are not sealed again: only the key that seals them is.
   * A first passphrase also shows the seed's words, so the keychain's owner asks the person before it is set. Without a keychain it makes the vault.
   * @param current needed where the vault has a passphrase already
   * @throws PlanchetError `vault-passphrase-wrong`, `vault-locked`, `invalid-input` for a short passphrase, `not-found` without a vault,
   *   `forbidden` where the person did not allow the first one
   */
  async changePassphrase(current: string, next: string): Promise<void> {
    requireLong(next);
    if (this.#sandbox) throw new PlanchetError('vault.no-passphrase');
    const file = this.#mainFile();
    const source = passphraseSource(async () => next, this.#scrypt);
    if (!file.exists) {
      if (await this.#usableKeychain()) throw new PlanchetError('vault.no-passphrase');
      return file.create(source);
    }
    if (file.locked) throw new PlanchetError('vault.locked');
    if (file.hasSlot('passphrase')) await provePassphrase(file.path, current);
    else if (!(await this.#keychain?.allowsPassphrase())) throw new PlanchetError('vault.passphrase-declined');
    await file.replaceSlot(source);
  }

  async #openSandbox(sandbox: SealedFile): Promise<void> {
    if (await sandbox.unlock([this.#sandboxSource])) return;
    throw new PlanchetError('vault.sandbox-key-damaged', { path: sandbox.path });
  }

  #sources(): KeySource[] {
    return this.#keychain ? [keychainSource(this.#keychain), this.#passphrase] : [this.#passphrase];
  }

  async #sourceOfNew(): Promise<KeySource> {
    const keychain = await this.#usableKeychain();
    return keychain ? keychainSource(keychain) : this.#passphrase;
  }

  async #usableKeychain(): Promise<Keychain | undefined> {
    return (await this.#keychain?.available()) ? this.#keychain : undefined;
  }

  #mainFile(): SealedFile {
    if (this.#real instanceof SealedFile) return this.#real;
    throw this.#real;
  }

  #fileOf(name: SecretName): SealedFile {
    if (!isSandboxSecret(name)) return this.#mainFile();
    if (this.#sandbox) return this.#sandbox;
    throw new PlanchetError('vault.sandbox-closed', { network: this.#network });
  }
}

/** Wherever it comes from, only a long one seals a vault; one that was sealed under a shorter one is opened by it. */
function longIfNew(passphrase: PassphraseOf): PassphraseOf {
  return async (use) => {
    const given = await passphrase(use);
    if (use === 'create' && given) requireLong(given);
    return given;
  };
}

/** @throws PlanchetError `invalid-input` */
function requireLong({ length }: string): void {
  if (length < MIN_PASSPHRASE) throw new PlanchetError('vault.passphrase-short', { least: MIN_PASSPHRASE });
}

/** @throws PlanchetError `vault-passphrase-wrong` */
async function provePassphrase(path: string, passphrase: string): Promise<void> {
  const proof = await SealedFile.open(path);
  const proven = await proof.unlock([passphraseSource(async () => passphrase)]);
  proof.lock();
  if (!proven) throw new PlanchetError('vault.passphrase-needed');
}

/** `*:sandbox`, `*:sandbox:*`, `minerId` and `sandboxFaucet` belong to the sandbox alone. */
function isSandboxSecret(name: SecretName): boolean {
  return /^[a-z]+:sandbox(?::|$)/i.test(name) || name === 'minerId' || name === 'sandboxFaucet';
}

export const openVault = Vault.open;
