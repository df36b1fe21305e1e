// imported individually, so that a bundle contains nothing else of the SDK
import PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import { fromHex } from '../../chain/index.ts';
import { KeyError } from '../errors.ts';
import { guarded, isRecord, lengthOf } from '../values/values.ts';
import type { PublicKeyBytes, SigningKey, VerifyingKey } from './params.ts';

const publicKeys = new WeakMap<object, PublicKeyBytes>();

/**
 * Derives the compressed public key.
 * @param key the SDK's private key, or a WIF
 * @throws TokenError `key-missing`, `key-invalid`
 */
export function publicKeyOf(key: SigningKey): PublicKeyBytes {
  return guarded('key', () => publicHalfOf(requirePrivateKey(key, 'key'), 'key'));
}

/** Derives the compressed public key. @throws TokenError `key-invalid` */
export function publicHalfOf(key: PrivateKey, field: string): PublicKeyBytes {
  let bytes = publicKeys.get(key);
  if (bytes === undefined) {
    bytes = derOf(() => key.toPublicKey(), field);
    publicKeys.set(key, bytes);
  }
  return bytes;
}

/** @throws TokenError `key-missing`, or `key-invalid` unless it is a private key of the SDK or a WIF. */
export function requirePrivateKey(key: unknown, field: string): PrivateKey {
  if (key === null || key === undefined) throw new KeyError('key-missing', field, '{field} is missing.');
  if (typeof key === 'string') {
    try {
      return PrivateKey.fromWif(key);
    } catch {
      // without a cause, because its message could quote the key
      throw new KeyError('key-invalid', field, '{field} is not a WIF, the text form of a private key.');
    }
  }
  const isPrivate = isRecord(key) && typeof key.toPublicKey === 'function' && typeof key.sign === 'function';
  if (isPrivate) return key as unknown as PrivateKey;
  throw new KeyError(
    'key-invalid',
    field,
    '{field} is not a private key: this form of the function signs the transaction itself.',
  );
}

/** The bytes of a public key. @throws TokenError `key-missing`, or `key-invalid` unless it is a compressed public key. */
export function requireKey(key: VerifyingKey | null | undefined, field: string): PublicKeyBytes {
  if (key === null || key === undefined) throw new KeyError('key-missing', field, '{field} is missing.');
  const bytes = bytesOf(key, field);
  if (bytes?.length === 33 && (bytes[0] === 2 || bytes[0] === 3)) return bytes;
  const message = '{field} is not a compressed public key: 33 bytes, their hex, or a PublicKey of the SDK.';
  throw new KeyError('key-invalid', field, message, { length: bytes?.length ?? lengthOf(key) });
}

function bytesOf(key: unknown, field: string): Uint8Array | undefined {
  if (key instanceof Uint8Array) return key;
  if (typeof key === 'string') return /^(?:[0-9a-fA-F]{2})+$/.test(key) ? fromHex(key) : undefined;
  if (!isRecord(key)) return undefined;
  if (typeof key.toPublicKey === 'function') {
    throw new KeyError('key-invalid', field, '{field} is a private key: this form of the function takes public keys.');
  }
  return typeof key.toDER === 'function' ? derOf(() => key as unknown as { toDER(): unknown }, field) : undefined;
}

function derOf(key: () => { toDER(): unknown }, field: string): Uint8Array {
  try {
    return Uint8Array.from(key().toDER() as number[]);
  } catch {
    throw new KeyError('key-invalid', field, '{field} is not a key that can be used.');
  }
}
