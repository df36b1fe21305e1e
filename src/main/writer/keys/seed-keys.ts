import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import secp256k1 from 'secp256k1';
import { type Network, PlanchetError } from '../../../contract/index.ts';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Keys that follow from the wallet's seed alone, so that every machine with the same wallet has them: the signing key of each API key, and
 * the key that seals API keys in the shared database. None of them tells anything about another, or about the seed (HKDF, RFC 5869).
 */
export class SeedKeys {
  readonly #network: Network;
  readonly #seed: () => Uint8Array;
  /** Deriving it takes milliseconds. A machine's wallet cannot be replaced while it runs. */
  #root: Uint8Array | undefined;

  /** @param seed a secret of the wallet's seed, 32 bytes; it throws `wallet-missing` or `vault-locked` */
  constructor(network: Network, seed: () => Uint8Array) {
    this.#network = network;
    this.#seed = seed;
  }

  /**
   * The private key that signs for an API key.
   * @returns 32 bytes; undefined on a machine without a wallet
   * @throws PlanchetError `vault-locked`
   */
  signingKey(keyId: string): Uint8Array | undefined {
    for (let n = 0; ; n++) {
      const key = this.#derive(`signing key ${keyId} ${n}`);
      // One in 2^128 is no private key.
      if (key === undefined || secp256k1.privateKeyVerify(key)) return key;
    }
  }

  /** @returns the API key for machines with the same wallet alone, Base64; null on a machine without a wallet. @throws PlanchetError `vault-locked` */
  seal(keyId: string, apiKey: string): string | null {
    const key = this.#sealingKey();
    if (key === undefined) return null;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    cipher.setAAD(Buffer.from(keyId));
    return Buffer.concat([iv, cipher.update(apiKey, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
  }

  /** @returns what {@link seal} was given; undefined where another wallet sealed it. @throws PlanchetError `vault-locked` */
  open(keyId: string, sealed: string): string | undefined {
    const key = this.#sealingKey();
    const bytes = Buffer.from(sealed, 'base64');
    if (key === undefined || bytes.length < IV_BYTES + TAG_BYTES) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
      decipher.setAAD(Buffer.from(keyId));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }

  #sealingKey(): Uint8Array | undefined {
    return this.#derive('API keys in the database');
  }

  #derive(purpose: string): Uint8Array | undefined {
    this.#root ??= this.#readSeed();
    if (this.#root === undefined) return undefined;
    return new Uint8Array(hkdfSync('sha256', this.#root, '', `planchet writer ${this.#network} ${purpose}`, KEY_BYTES));
  }

  #readSeed(): Uint8Array | undefined {
    try {
      return this.#seed();
    } catch (error) {
      if (error instanceof PlanchetError && error.code === 'wallet-missing') return undefined;
      throw error;
    }
  }
}
