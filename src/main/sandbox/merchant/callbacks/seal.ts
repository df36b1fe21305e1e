import { merchantTexts } from '../texts.ts';

const SCHEME = 'libsodium sealed_box ';
const KEY_BYTES = 32;
const MAX_TOKEN_CHARS = 1_024;

/**
 * Parses the option `callbackEncryption`: `libsodium sealed_box <Base64 of a Curve25519 public key>` (wire.md 3.9).
 * @returns the key in Base64, or the problem with the option
 */
export function readEncryption(value: unknown): { key: string } | { problem: string } {
  if (value === undefined || value === null || value === '') return { key: '' };
  const unsupported = { problem: merchantTexts.encryptionUnsupported };
  if (typeof value !== 'string') return unsupported;
  if (value.length > MAX_TOKEN_CHARS) return { problem: merchantTexts.encryptionTooLong };
  if (!value.startsWith(SCHEME)) return unsupported;
  const key = value.slice(SCHEME.length).trim();
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== key) {
    return { problem: merchantTexts.encryptionKeyInvalid };
  }
  return { key };
}

/** Encrypts a message anonymously for the holder of a Curve25519 key (sealed box). @param key Base64 */
export async function seal(message: string, key: string): Promise<Uint8Array> {
  // loaded on first use: few callbacks are encrypted, and its WebAssembly takes memory
  const { default: sodium } = await import('libsodium-wrappers');
  await sodium.ready;
  return sodium.crypto_box_seal(Buffer.from(message, 'utf8'), Buffer.from(key, 'base64'));
}
