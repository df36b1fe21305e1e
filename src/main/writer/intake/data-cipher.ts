import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { type Network, PlanchetError } from '../../../contract/index.ts';
import type { SecretStore } from '../../ports/secrets.ts';

/** Content type on the chain of what only the key's owner can read. */
export const ENCRYPTED_TYPE = 'application/vnd.planchet.aes-256-gcm';
const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const OLD_IV_BYTES = 16;

/**
 * Encrypts documents with AES-256-GCM under a key from the vault, so that nobody can change them unseen either. Layout: version (1 byte),
 * nonce (12), ciphertext of the content type's length (1), the content type and the body, tag (16).
 */
export class DataCipher {
  readonly #secrets: SecretStore;
  readonly #name: `dataKey:${Network}`;
  #making: Promise<Uint8Array> | undefined;

  constructor(secrets: SecretStore, network: Network) {
    this.#secrets = secrets;
    this.#name = `dataKey:${network}`;
  }

  async encrypt(contentType: string, body: Uint8Array): Promise<Uint8Array> {
    const type = Buffer.from(contentType, 'utf8');
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', await this.#key(), iv);
    cipher.setAAD(Uint8Array.of(VERSION));
    const plain = Buffer.concat([Uint8Array.of(type.length), type, body]);
    return Buffer.concat([Uint8Array.of(VERSION), iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  /** @throws PlanchetError `proof-invalid` for what was not encrypted with this key, or was changed */
  decrypt(payload: Uint8Array): { contentType: string; body: Uint8Array } {
    const key = this.#secrets.get(this.#name);
    const bytes = Buffer.from(payload);
    if (key === undefined || bytes.length < 1 + IV_BYTES + TAG_BYTES + 1 || bytes[0] !== VERSION) throw notOurs();
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + IV_BYTES));
      decipher.setAAD(Uint8Array.of(VERSION));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const plain = Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES, -TAG_BYTES)), decipher.final()]);
      const typeBytes = plain[0] ?? 0;
      return { contentType: plain.toString('utf8', 1, 1 + typeBytes), body: plain.subarray(1 + typeBytes) };
    } catch {
      throw notOurs();
    }
  }

  /** Made at the first use and kept in the vault. */
  #key(): Promise<Uint8Array> {
    const stored = this.#secrets.get(this.#name);
    if (stored !== undefined) return Promise.resolve(stored);
    this.#making ??= (async () => {
      const key = randomBytes(32);
      await this.#secrets.set(this.#name, key);
      return key;
    })().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }
}

/**
 * Reads what clients of an earlier generation encrypted: AES-256-CBC under the SHA-256 of a secret, the IV in front (wire reference 4.2).
 * Nothing guards such bytes against changes, so they are never written.
 * @throws PlanchetError `proof-invalid` where the secret is another
 */
export function decryptOldForm(payload: Uint8Array, secret: string): Uint8Array {
  const key = createHash('sha256').update(secret).digest();
  try {
    if (payload.length < 2 * OLD_IV_BYTES || payload.length % OLD_IV_BYTES !== 0) throw new Error('not whole blocks');
    const decipher = createDecipheriv('aes-256-cbc', key, payload.subarray(0, OLD_IV_BYTES));
    return Buffer.concat([decipher.update(payload.subarray(OLD_IV_BYTES)), decipher.final()]);
  } catch {
    throw notOurs();
  }
}

/** What is said of every document that cannot be opened, whatever the reason. */
export function notOurs(): PlanchetError {
  return new PlanchetError('writer.decryption-failed');
}
