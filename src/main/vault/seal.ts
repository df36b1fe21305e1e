import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Bytes of a master key and of a key-encryption key (AES-256). */
export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** Result of {@link seal}: both fields lower-case hex; `sealed` ends with the 16-byte tag. */
export interface Sealed {
  readonly nonce: string;
  readonly sealed: string;
}

/**
 * Seals bytes with AES-256-GCM under a fresh random nonce.
 * @param context additional data: what is sealed under one context does not open under another
 */
export function seal(key: Uint8Array, plain: Uint8Array, context: string): Sealed {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context, 'utf8'));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return { nonce: nonce.toString('hex'), sealed: sealed.toString('hex') };
}

/** @returns the bytes that were sealed, or undefined where the key or context is another or a bit was changed. */
export function unseal(key: Uint8Array, { nonce, sealed }: Sealed, context: string): Uint8Array | undefined {
  const bytes = Buffer.from(sealed, 'hex');
  if (bytes.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'hex'), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  const head = decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES));
  try {
    const plain = new Uint8Array(head);
    decipher.final();
    return plain;
  } catch {
    return undefined;
  } finally {
    head.fill(0);
  }
}
