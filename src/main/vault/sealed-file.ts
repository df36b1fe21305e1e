import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PlanchetError } from '../../contract/index.ts';
import { Sequencer } from '../async/sequencer.ts';
import { removeLeftovers, replaceFile } from './atomic-file.ts';
import type { KeySource } from './key-sources.ts';
import { KEY_BYTES, seal, unseal } from './seal.ts';
import {
  decodeVault,
  encodeVault,
  VAULT_VERSION,
  type VaultBody,
  type VaultFile,
  type VaultSlot,
  vaultDamaged,
  vaultIsAuthentic,
} from './vault-format.ts';

const slotContext = (kind: KeySource['kind']): string => `planchet vault slot ${kind}`;
const entryContext = (name: string): string => `planchet vault entry ${name}`;

/**
 * One sealed file of named secrets. It is made by the first {@link set}; until then it holds nothing and is not locked. Reads come from
 * memory, where entries stay sealed; only the master key is held open.
 */
export class SealedFile {
  readonly path: string;
  #file: VaultFile | undefined;
  /** The bytes last read or written. If the file differs, another program saved it, and a write would lose its changes. */
  #known: Uint8Array | undefined;
  #masterKey: Uint8Array | undefined;
  #revision = 0;
  readonly #writing = new Sequencer();

  private constructor(path: string) {
    this.path = path;
  }

  /** @throws PlanchetError `vault-damaged` (the file is left as it is), `store-failed` when it cannot be read */
  static async open(path: string): Promise<SealedFile> {
    const file = new SealedFile(path);
    const bytes = await file.#read();
    if (bytes) file.#load(bytes);
    return file;
  }

  /** True when the file holds secrets and none of its keys was given yet. */
  get locked(): boolean {
    return this.#file !== undefined && this.#masterKey === undefined;
  }

  /** Grows with each change of a secret, and each time the file is locked or unlocked. */
  get revision(): number {
    return this.#revision;
  }

  get exists(): boolean {
    return this.#file !== undefined;
  }

  /** Whether there is a secret of this name; names are readable without a key. */
  has(name: string): boolean {
    return this.#file?.body.entries[name] !== undefined;
  }

  hasSlot(kind: KeySource['kind']): boolean {
    return this.#file?.body.slots.some((slot) => slot.kind === kind) ?? false;
  }

  /**
   * Opens the file with the first source that has a key for one of its slots.
   * @returns whether it is open now; false where no source had a key to offer
   * @throws PlanchetError `vault-passphrase-wrong`, `vault-damaged`, `vault-locked` (the keychain refused). Nothing is changed then.
   */
  async unlock(sources: readonly KeySource[]): Promise<boolean> {
    const file = this.#file;
    if (!file || this.#masterKey) return true;
    let failure: unknown;
    for (const source of sources) {
      for (const slot of file.body.slots.filter(({ kind }) => kind === source.kind)) {
        try {
          const opened = await openSlot(slot, source, this.path);
          if (!opened) continue;
          if (!vaultIsAuthentic(file, opened.masterKey)) throw vaultDamaged(this.path);
          this.#masterKey = opened.masterKey;
          this.#revision += 1;
          if (opened.renewed) await this.#renew(slot, opened.renewed);
          return true;
        } catch (error) {
          failure ??= error;
        }
      }
    }
    if (failure) throw failure;
    return false;
  }

  /** Forgets the master key. */
  lock(): void {
    this.#masterKey?.fill(0);
    this.#masterKey = undefined;
    this.#revision += 1;
  }

  /**
   * @returns the secret, a copy the caller may overwrite, or undefined where there is none of this name
   * @throws PlanchetError `vault-locked`
   */
  get(name: string): Uint8Array | undefined {
    if (!this.#file) return undefined;
    const masterKey = this.#openKey();
    const entry = this.#file.body.entries[name];
    if (!entry) return undefined;
    const secret = unseal(masterKey, entry, entryContext(name));
    if (!secret) throw vaultDamaged(this.path);
    return secret;
  }

  /**
   * Stores a secret; written and synced before it returns. Writes run one after the other.
   * @param source makes the key of a file that does not exist yet
   */
  set(name: string, value: Uint8Array, source: KeySource): Promise<void> {
    return this.#writing.run(async () => {
      const body = this.#file ? this.#file.body : await this.#firstBody(source);
      const entries = { ...body.entries, [name]: seal(this.#openKey(), value, entryContext(name)) };
      await this.#write({ ...body, entries });
    });
  }

  delete(name: string): Promise<void> {
    return this.#writing.run(async () => {
      if (!this.#file) return;
      this.#openKey();
      const { [name]: gone, ...entries } = this.#file.body.entries;
      if (gone) await this.#write({ ...this.#file.body, entries });
    });
  }

  /** Makes the file, without secrets. @param source makes its key @throws PlanchetError `conflict` where it was made meanwhile */
  create(source: KeySource): Promise<void> {
    return this.#writing.run(async () => {
      if (this.#file) throw new PlanchetError('vault.changed', { path: this.path });
      await this.#write(await this.#firstBody(source));
    });
  }

  /**
   * Seals the master key under a new key of `source`; the source's earlier slots stop working.
   * @throws PlanchetError `vault-locked`, also where it was locked meanwhile: the earlier slots stay
   */
  replaceSlot(source: KeySource): Promise<void> {
    return this.#writing.run(async () => {
      this.#openKey();
      const body = this.#file?.body;
      if (!body) return;
      const slot = await makeSlot(() => this.#openKey(), source);
      await this.#write({ ...body, slots: [...body.slots.filter(({ kind }) => kind !== source.kind), slot] });
    });
  }

  /** Stores the new record of the same key. If that fails, the earlier record still works, also at the next opening. */
  #renew(slot: VaultSlot, record: VaultSlot['record']): Promise<void> {
    return this.#writing
      .run(async () => {
        const body = this.#file?.body;
        if (!body) return;
        await this.#write({ ...body, slots: body.slots.map((each) => (each === slot ? { ...slot, record } : each)) });
      })
      .catch(() => undefined);
  }

  async #firstBody(source: KeySource): Promise<VaultBody> {
    const masterKey = randomBytes(KEY_BYTES);
    const slot = await makeSlot(() => masterKey, source);
    this.#masterKey = masterKey;
    return { format: 'planchet-vault', version: VAULT_VERSION, slots: [slot], entries: {} };
  }

  async #write(body: VaultBody): Promise<void> {
    const onDisk = await this.#read();
    if (onDisk && (!this.#known || !Buffer.from(onDisk).equals(this.#known)))
      throw new PlanchetError('vault.changed', { path: this.path });
    const bytes = encodeVault(body, this.#openKey());
    // Done here and not when opening: a reader must not disturb a process that is writing.
    await removeLeftovers(this.path);
    await replaceFile(this.path, bytes);
    this.#load(bytes);
  }

  #load(bytes: Uint8Array): void {
    this.#file = decodeVault(bytes, this.path);
    this.#known = bytes;
    this.#revision += 1;
  }

  #openKey(): Uint8Array {
    if (this.#masterKey) return this.#masterKey;
    throw new PlanchetError('vault.locked');
  }

  async #read(): Promise<Uint8Array | undefined> {
    try {
      return await readFile(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new PlanchetError(
        'vault.unreadable',
        { path: this.path, reason: (error as Error).message },
        { cause: error },
      );
    }
  }
}

/** @param masterKey asked once the source has made its key: locking the vault meanwhile fills the master key with zeros */
async function makeSlot(masterKey: () => Uint8Array, source: KeySource): Promise<VaultSlot> {
  const { key, record } = await source.create();
  try {
    return { kind: source.kind, record, ...seal(key, masterKey(), slotContext(source.kind)) };
  } finally {
    key.fill(0);
  }
}

async function openSlot(
  slot: VaultSlot,
  source: KeySource,
  path: string,
): Promise<{ masterKey: Uint8Array; renewed: VaultSlot['record'] | undefined } | undefined> {
  const recovered = await source.recover(slot.record).catch((error: unknown) => {
    throw error instanceof PlanchetError && error.code === 'vault-damaged' ? vaultDamaged(path, error) : error;
  });
  if (!recovered) return undefined;
  const { key, renewed } = recovered;
  try {
    const masterKey = unseal(key, slot, slotContext(slot.kind));
    if (masterKey) return { masterKey, renewed };
  } finally {
    key.fill(0);
  }
  if (slot.kind !== 'passphrase') throw vaultDamaged(path);
  throw new PlanchetError('vault.passphrase-wrong');
}
