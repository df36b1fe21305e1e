import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { type Network, PlanchetError } from '../../../contract/index.ts';
import type { SecretStore } from '../../ports/secrets.ts';

/** Content type on the chain of what only the key's owner can read. */
export const ENCRYPTED_TYPE = 'application/vnd.planchet.aes-256-gcm';
const VERSION = 2;
/** Without the API key's name. It is read, but no longer written. */
const FIRST_VERSION = 1;
const KEY_ID_BYTES = 8;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const OLD_IV_BYTES = 16;

/**
 * Encrypts documents with AES-256-GCM under a key from the vault, so that nobody can change them unseen either. Layout: version (1 byte),
 * nonce (12), ciphertext of the API key's name (8, from version 2 on), the content type's length (1), the content type and the body, tag
 * (16). The name says for whom it is opened, also where somebody else puts the same bytes on the chain again.
 */
export class DataCipher {
  readonly #secrets: SecretStore;
  readonly #name: `dataKey:${Network}`;
  #making: Promise<Uint8Array> | undefined;

  constructor(secrets: SecretStore, network: Network) {
    this.#secrets = secrets;
    this.#name = `dataKey:${network}`;
  }

  /** @param keyId name of the API key that it is opened for, see {@link keyIdOf} */
  async encrypt(keyId: string, contentType: string, body: Uint8Array): Promise<Uint8Array> {
    const type = Buffer.from(contentType, 'utf8');
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', await this.#key(), iv);
    cipher.setAAD(Uint8Array.of(VERSION));
    const plain = Buffer.concat([Buffer.from(keyId, 'hex'), Uint8Array.of(type.length), type, body]);
    return Buffer.concat([Uint8Array.of(VERSION), iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  /**
   * @returns also the name of the API key it is for; undefined where it was written before names were
   * @throws PlanchetError `proof-invalid` for what was not encrypted with this key, or was changed
   */
  decrypt(payload: Uint8Array): { keyId: string | undefined; contentType: string; body: Uint8Array } {
    const key = this.#secrets.get(this.#name);
    const bytes = Buffer.from(payload);
    const [version = 0] = bytes;
    const nameBytes = version === FIRST_VERSION ? 0 : KEY_ID_BYTES;
    const least = 1 + IV_BYTES + TAG_BYTES + nameBytes + 1;
    if (key === undefined || bytes.length < least || (version !== VERSION && version !== FIRST_VERSION))
      throw notOurs();
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + IV_BYTES));
      decipher.setAAD(Uint8Array.of(version));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const plain = Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES, -TAG_BYTES)), decipher.final()]);
      const typeAt = nameBytes + 1;
      const bodyAt = typeAt + (plain[nameBytes] ?? 0);
      return {
        keyId: nameBytes === 0 ? undefined : plain.toString('hex', 0, nameBytes),
        contentType: plain.toString('utf8', typeAt, bodyAt),
        body: plain.subarray(bodyAt),
      };
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
