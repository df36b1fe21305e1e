import { createHmac } from 'node:crypto';
import PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import PublicKey from '@bsv/sdk/primitives/PublicKey';
import * as Utils from '@bsv/sdk/primitives/utils';
import { digestSigner, fromHex, toHex } from '../../../chain/index.ts';
import { type PlainKey, PlanchetError, phrase } from '../../../contract/index.ts';
import type { HdKey } from './hd-key.ts';

/** Version bytes of extended keys (BIP32). */
const VERSIONS = {
  '0488b21e': { network: 'main', isPrivate: false },
  '0488ade4': { network: 'main', isPrivate: true },
  '043587cf': { network: 'test', isPrivate: false },
  '04358394': { network: 'test', isPrivate: true },
} as const;
const PAYLOAD_BYTES = 78;
const HARDENED = 0x80000000;

/** A public key with the chain code that its children are made with (BIP32). */
export interface HdPublicKey {
  /** 66 hex digits, compressed. */
  readonly publicKey: string;
  readonly chainCode: Uint8Array;
}

export interface ExtendedKey extends HdPublicKey {
  readonly network: 'main' | 'test';
  readonly depth: number;
  /** Only of a private one. */
  readonly private: HdKey | undefined;
}

/**
 * Reads an extended key as BIP32 writes it (`xpub…`, `tpub…`, `xprv…`, `tprv…`).
 * @throws PlanchetError `invalid-input` that says what is wrong, never the key itself
 */
export function parseExtendedKey(text: string): ExtendedKey {
  let bytes: Uint8Array;
  try {
    const { prefix, data } = Utils.fromBase58Check(text.trim(), undefined, 4) as { prefix: number[]; data: number[] };
    bytes = Uint8Array.from([...prefix, ...data]);
  } catch {
    throw invalid('reason.key-incomplete');
  }
  const version = VERSIONS[toHex(bytes.subarray(0, 4)) as keyof typeof VERSIONS];
  if (bytes.length !== PAYLOAD_BYTES || version === undefined) throw invalid('reason.key-not-extended');
  const depth = bytes[4] as number;
  const isRoot = bytes.subarray(5, 13).every((byte) => byte === 0);
  if (depth === 0 && !isRoot) throw invalid('reason.key-names-parent');
  const chainCode = bytes.slice(13, 45);
  const key = bytes.slice(45);
  const { network } = version;
  if (version.isPrivate) {
    if (key[0] !== 0) throw invalid('reason.key-looks-public');
    const privateKey = privateOf(key.subarray(1));
    const publicKey = privateKey.toPublicKey().toString();
    return { network, depth, chainCode, publicKey, private: { privateKey, chainCode } };
  }
  return { network, depth, chainCode, publicKey: pointOf(key).toString(), private: undefined };
}

/** One step of a public derivation (BIP32). @param index below 2^31: a hardened child needs the private key */
export function derivePublicChild({ publicKey, chainCode }: HdPublicKey, index: number): HdPublicKey {
  if (index >= HARDENED) throw new Error('A hardened child needs the private key.');
  const data = Buffer.alloc(37);
  data.write(publicKey, 'hex');
  data.writeUInt32BE(index, 33);
  const digest = createHmac('sha512', chainCode).update(data).digest();
  // throws where BIP32 defines no key
  const child = digestSigner.addToPublicKey(fromHex(publicKey), Uint8Array.from(digest.subarray(0, 32)));
  return { publicKey: toHex(child), chainCode: Uint8Array.from(digest.subarray(32)) };
}

function privateOf(bytes: Uint8Array): PrivateKey {
  try {
    const key = new PrivateKey(Array.from(bytes));
    if (!key.isZero()) return key;
  } catch {
    // told below
  }
  throw invalid('reason.key-number');
}

function pointOf(bytes: Uint8Array): PublicKey {
  try {
    if (bytes[0] === 2 || bytes[0] === 3) return PublicKey.fromDER(Array.from(bytes));
  } catch {
    // told below
  }
  throw invalid('reason.key-bytes');
}

function invalid(reason: Extract<PlainKey, `reason.key-${string}`>): PlanchetError {
  return new PlanchetError('wallet.xpub-invalid', { reason: phrase(reason) });
}
