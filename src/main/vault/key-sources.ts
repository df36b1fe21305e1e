import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { PlanchetError } from '../../contract/index.ts';
import type { PassphraseOf } from '../ports/secrets.ts';
import { replaceFile } from './atomic-file.ts';
import { DEFAULT_SCRYPT, type ScryptCost } from './scrypt-cost.ts';
import { KEY_BYTES } from './seal.ts';

/** What a key source needs to find its key again; stored in the clear next to the master key it seals. */
type KeyRecord = Record<string, string | number>;

interface RecoveredKey {
  readonly key: Uint8Array;
  /** Leads to the same key, and is to be stored in the place of the record that was given. */
  readonly renewed?: KeyRecord | undefined;
}

/** A way to a key-encryption key. Sources differ in where the key comes from, never in how the vault uses it. */
export interface KeySource {
  readonly kind: 'passphrase' | 'keychain' | 'key-file';
  /** Makes a new key. @throws PlanchetError where the source cannot (no passphrase given, no keychain) */
  create(): Promise<{ key: Uint8Array; record: KeyRecord }>;
  /** @returns the key of `record`, or undefined where the source has none to offer now (so the vault stays locked). */
  recover(record: KeyRecord): Promise<RecoveredKey | undefined>;
}

/**
 * The operating system's keychain as the desktop shell offers it. `weak` says that it protects nothing (Linux without a keyring
 * service): such a keychain is never used.
 */
export interface Keychain {
  available(): Promise<boolean>;
  encrypt(text: string): Promise<Uint8Array>;
  decrypt(sealed: Uint8Array): Promise<OpenedText>;
  /** Asks the person at the desktop, past the page, whether the vault gets a passphrase. With it the words can be shown. */
  allowsPassphrase(): Promise<boolean>;
  readonly weak?: boolean;
}

interface OpenedText {
  readonly text: string;
  /** The same text under the keychain's newest key, where it was sealed under an older one. */
  readonly resealed?: Uint8Array | undefined;
}

const SALT_BYTES = 32;
/**
 * The most a vault file may ask for, as `N * r * p`: four times the cost that is written today ({@link DEFAULT_SCRYPT}), so that it can be raised later.
 * Memory (128 bytes times `N * r`) and time both follow from the product, so an edited file costs at most 512 MB and two seconds.
 */
const MAX_SCRYPT_PRODUCT = 2 ** 22;
const scryptRecordSchema = z
  .object({
    salt: z.string().regex(/^(?:[0-9a-f]{2}){16,64}$/),
    N: z
      .number()
      .int()
      .min(2)
      .refine((n) => Number.isInteger(Math.log2(n))),
    r: z.number().int().min(1),
    p: z.number().int().min(1),
  })
  .refine(({ N, r, p }) => N * r * p <= MAX_SCRYPT_PRODUCT);

/** Derives the key from a passphrase with scrypt (RFC 7914); the cost used is stored, so it can be raised later. */
export function passphraseSource(passphrase: PassphraseOf, cost: ScryptCost = DEFAULT_SCRYPT): KeySource {
  return {
    kind: 'passphrase',
    async create() {
      const text = await passphrase('create');
      if (text === undefined || text === '') throw new PlanchetError('vault.passphrase-required');
      const salt = randomBytes(SALT_BYTES);
      return { key: await derive(text, salt, cost), record: { salt: salt.toString('hex'), ...cost } };
    },
    async recover(record) {
      const { salt, ...stored } = damagedUnlessValid(scryptRecordSchema, record);
      const text = await passphrase('open');
      if (text === undefined || text === '') return undefined;
      return { key: await derive(text, Buffer.from(salt, 'hex'), stored) };
    },
  };
}

const keychainRecord = (wrapped: Uint8Array): KeyRecord => ({ wrapped: Buffer.from(wrapped).toString('base64') });
const keychainRecordSchema = z.object({ wrapped: z.base64().min(1) });

/** A random key that the operating system's keychain encrypts. */
export function keychainSource(keychain: Keychain): KeySource {
  return {
    kind: 'keychain',
    async create() {
      const key = randomBytes(KEY_BYTES);
      return { key, record: keychainRecord(await keychain.encrypt(key.toString('base64'))) };
    },
    async recover(record) {
      const { wrapped } = damagedUnlessValid(keychainRecordSchema, record);
      if (!(await keychain.available())) return undefined;
      let opened: OpenedText;
      try {
        opened = await keychain.decrypt(Buffer.from(wrapped, 'base64'));
      } catch (error) {
        throw new PlanchetError('vault.keychain-refused', {}, { cause: error });
      }
      const key = Buffer.from(opened.text, 'base64');
      if (key.length !== KEY_BYTES) return undefined;
      return { key, renewed: opened.resealed && keychainRecord(opened.resealed) };
    },
  };
}

/** A random key in a file readable by its owner only. Good for keys that protect nothing: the sandbox's. */
export function keyFileSource(path: string): KeySource {
  return {
    kind: 'key-file',
    async create() {
      const key = (await readKeyFile(path)) ?? randomBytes(KEY_BYTES);
      await replaceFile(path, Buffer.from(`${Buffer.from(key).toString('hex')}\n`));
      return { key, record: {} };
    },
    async recover() {
      const key = await readKeyFile(path);
      return key && { key };
    },
  };
}

async function readKeyFile(path: string): Promise<Uint8Array | undefined> {
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new PlanchetError('vault.key-file-unreadable', { path, reason: (error as Error).message }, { cause: error });
  }
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

function damagedUnlessValid<T>(schema: z.ZodType<T>, record: KeyRecord): T {
  const parsed = schema.safeParse(record);
  if (parsed.success) return parsed.data;
  throw new PlanchetError('vault.key-source-unknown', {}, { cause: parsed.error });
}

function derive(passphrase: string, salt: Uint8Array, { N, r, p }: ScryptCost): Promise<Uint8Array> {
  const options: ScryptOptions = { N, r, p, maxmem: 128 * r * (N + p + 2) + 1_048_576 };
  // The same passphrase may arrive composed or decomposed, depending on the keyboard.
  const secret = Buffer.from(passphrase.normalize('NFKC'), 'utf8');
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, KEY_BYTES, options, (error, key) => {
      secret.fill(0);
      if (error) reject(error);
      else resolve(key);
    });
  });
}
