import { createHmac } from 'node:crypto';
import PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import { compressedKeyOf } from '../../../chain/index.ts';

/** Order of the curve secp256k1 (SEC 2). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const HARDENED = 0x80000000;

/** A private key with the chain code its children are made with (BIP32). */
export interface HdKey {
  readonly privateKey: PrivateKey;
  readonly chainCode: Uint8Array;
}

/**
 * Derives a private key from a seed.
 * @param seed 16 to 64 bytes
 * @param path e.g. `m/44'/236'/0'/0/0`; an apostrophe marks a hardened step
 * @throws Error for a malformed path or a seed of another length, and in the 1 in 2^127 case where BIP32 defines no key
 */
export function deriveKey(seed: Uint8Array, path: string): HdKey {
  if (seed.length < 16 || seed.length > 64) throw new Error('A seed has 16 to 64 bytes.');
  const [root, ...steps] = path.split('/');
  if (root !== 'm') throw new Error(`A derivation path begins with "m": ${path}`);
  let key = split(createHmac('sha512', 'Bitcoin seed').update(seed).digest(), 0n);
  for (const step of steps) key = deriveChild(key, indexOf(step, path));
  return key;
}

function indexOf(step: string, path: string): number {
  const match = /^(0|[1-9]\d{0,9})('?)$/.exec(step);
  const index = Number(match?.[1]);
  if (!match || index >= HARDENED) throw new Error(`"${step}" is no step of a derivation path: ${path}`);
  return index + (match[2] ? HARDENED : 0);
}

/** One step of a derivation (BIP32). @param index from 2^31 on, hardened */
export function deriveChild(parent: HdKey, index: number): HdKey {
  const data = Buffer.alloc(37);
  const secret = Buffer.from(parent.privateKey.toHex().padStart(64, '0'), 'hex');
  if (index >= HARDENED) secret.copy(data, 1);
  else data.set(compressedKeyOf(parent.privateKey));
  data.writeUInt32BE(index, 33);
  const digest = createHmac('sha512', parent.chainCode).update(data).digest();
  const key = split(digest, BigInt(`0x${secret.toString('hex')}`));
  data.fill(0);
  secret.fill(0);
  return key;
}

function split(digest: Buffer, tweak: bigint): HdKey {
  const left = BigInt(`0x${digest.subarray(0, 32).toString('hex')}`);
  const secret = (left + tweak) % ORDER;
  if (left >= ORDER || secret === 0n) throw new Error('BIP32 defines no key here.');
  const chainCode = Uint8Array.from(digest.subarray(32));
  digest.fill(0);
  return { privateKey: PrivateKey.fromHex(secret.toString(16).padStart(64, '0')), chainCode };
}
