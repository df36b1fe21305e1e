import BigNumber from '@bsv/sdk/primitives/BigNumber';
import * as ECDSA from '@bsv/sdk/primitives/ECDSA';
import type PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import PublicKey from '@bsv/sdk/primitives/PublicKey';
import Signature from '@bsv/sdk/primitives/Signature';
import { fromHex, sha256, toHex } from '../encoding/bytes.ts';
import { parseDerSignature } from './der.ts';
import { digestSigner, keyBytes } from './digest-signer.ts';
import { type DigestSigner, verifyNatively } from './native-verifier.ts';

/** A JSON envelope (mAPI): a payload as text, optionally with the miner's signature. */
export interface JsonEnvelope {
  readonly payload: string;
  /** Strict DER in hex. */
  readonly signature: string | null;
  /** Compressed key in hex. */
  readonly publicKey: string | null;
  readonly encoding: string;
  readonly mimetype: string;
}

/**
 * Wraps a payload. With a key, the payload's UTF-8 bytes are hashed once with SHA-256 and signed. Without one, signature and key are null.
 * @param payloadJson compact JSON text, used unchanged.
 * @param signer defaults to the compiled signer if there is one
 */
export function signEnvelope(payloadJson: string, key?: PrivateKey, signer: DigestSigner = digestSigner): JsonEnvelope {
  const base = { payload: payloadJson, mimetype: 'application/json' };
  if (key === undefined) return { ...base, signature: null, publicKey: null, encoding: 'json' };
  const privateKey = keyBytes(key);
  // the SDK would hash the text itself, about a hundred times slower: the reply to a large batch has megabytes
  const digest = sha256(new TextEncoder().encode(payloadJson));
  return {
    ...base,
    signature: toHex(signer.sign(digest, privateKey)),
    publicKey: toHex(signer.publicKeyOf(privateKey)),
    encoding: 'UTF-8',
  };
}

/** A signature over a digest that nobody has checked yet. */
export interface UncheckedSignature {
  /** r and s, 32 bytes each; s is the lower of the two that verify alike. */
  readonly signature: Uint8Array;
  /** 32 bytes. */
  readonly digest: Uint8Array;
  /** As it was given: compressed or not, or no key at all. */
  readonly publicKey: Uint8Array;
}

/**
 * Reads the signature of an envelope, which must be strict DER. A high s is allowed, because the envelope specification does not forbid it.
 * In a signed envelope, an encoding other than UTF-8 and base64 is invalid. Never throws.
 */
export function signatureOf(envelope: JsonEnvelope): UncheckedSignature | 'unsigned' | 'invalid' {
  const { payload, signature, publicKey, encoding } = envelope;
  if ((signature ?? null) === null && (publicKey ?? null) === null) return 'unsigned';
  const message = signedBytes(payload, encoding);
  if (message === undefined || typeof signature !== 'string' || typeof publicKey !== 'string') return 'invalid';
  try {
    const numbers = parseDerSignature(fromHex(signature));
    if (numbers === undefined) return 'invalid';
    return { signature: withLowS(numbers), digest: sha256(message), publicKey: fromHex(publicKey) };
  } catch {
    return 'invalid';
  }
}

/** Checks a signature. Never throws. */
export function isValidSignature({ signature, digest, publicKey }: UncheckedSignature): boolean {
  // the SDK takes milliseconds, also for a signature that is wrong
  if (isCompressed(publicKey) && verifyNatively !== undefined) return verifyNatively(signature, digest, publicKey);
  try {
    const parsed = new Signature(numberOf(signature.subarray(0, 32)), numberOf(signature.subarray(32)));
    return ECDSA.verify(numberOf(digest), parsed, PublicKey.fromDER(Array.from(publicKey)));
  } catch {
    return false;
  }
}

/**
 * Reads and checks the signature of an envelope. `valid` only means that the holder of `publicKey` signed the payload; the caller decides
 * whether to trust that key. Never throws.
 */
export function verifyEnvelope(envelope: JsonEnvelope): 'valid' | 'unsigned' | 'invalid' {
  const signature = signatureOf(envelope);
  if (typeof signature === 'string') return signature;
  return isValidSignature(signature) ? 'valid' : 'invalid';
}

/**
 * Normalises a signer's key for comparison and display.
 * @returns compressed, 66 lower-case hex digits; undefined if the text is not a public key
 */
export function signerKeyOf(publicKey: string): string | undefined {
  try {
    const bytes = fromHex(publicKey);
    if (isCompressed(bytes)) return toHex(bytes);
    return toHex(Uint8Array.from(PublicKey.fromDER(Array.from(bytes)).toDER() as number[]));
  } catch {
    return undefined;
  }
}

function isCompressed(key: Uint8Array): boolean {
  return key.length === 33 && (key[0] === 2 || key[0] === 3);
}

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The same signature with the lower of the two s that verify alike. @param numbers r and s, 32 bytes each */
function withLowS(numbers: Uint8Array): Uint8Array {
  // below this first byte it is low in any case
  if ((numbers[32] as number) < 0x7f) return numbers;
  const s = BigInt(`0x${toHex(numbers.subarray(32))}`);
  if (s <= CURVE_ORDER / 2n || s >= CURVE_ORDER) return numbers;
  const low = numbers.slice();
  low.set(fromHex((CURVE_ORDER - s).toString(16).padStart(64, '0')), 32);
  return low;
}

function numberOf(bytes: Uint8Array): BigNumber {
  return new BigNumber(Array.from(bytes));
}

function signedBytes(payload: unknown, encoding: unknown): Uint8Array | undefined {
  if (typeof payload !== 'string' || typeof encoding !== 'string') return undefined;
  const name = encoding.toLowerCase();
  if (name === 'utf-8' || name === 'utf8') return Buffer.from(payload, 'utf8');
  return name === 'base64' ? Buffer.from(payload, 'base64') : undefined;
}
