import BigNumber from '@bsv/sdk/primitives/BigNumber';
import * as ECDSA from '@bsv/sdk/primitives/ECDSA';
import PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import PublicKey from '@bsv/sdk/primitives/PublicKey';
import { type DigestSigner, nativeSigner } from './native-verifier.ts';

/** The SDK's signer, used if no compiled one is available. It returns the same bytes but is about a hundred times slower. */
export const sdkSigner: DigestSigner = {
  sign: (digest, privateKey) => {
    const key = new BigNumber(Array.from(privateKey));
    return Uint8Array.from(ECDSA.sign(new BigNumber(Array.from(digest)), key, true).toDER() as number[]);
  },
  publicKeyOf: (privateKey) =>
    Uint8Array.from(new PrivateKey(Array.from(privateKey)).toPublicKey().toDER() as number[]),
  addToPublicKey: (publicKey, tweak) => {
    const point = new PrivateKey(Array.from(tweak), undefined, 'be', 'error')
      .toPublicKey()
      .add(PublicKey.fromDER(Array.from(publicKey)));
    if (point.isInfinity()) throw new Error('The sum is no public key.');
    return Uint8Array.from(point.encode(true) as number[]);
  },
};

/** The compiled signer if there is one. */
export const digestSigner: DigestSigner = nativeSigner ?? sdkSigner;

const publicKeys = new WeakMap<PrivateKey, Uint8Array>();

export function keyBytes(privateKey: PrivateKey): Uint8Array {
  return Uint8Array.from(privateKey.toArray('be', 32));
}

/** The compressed public key, derived once. */
export function compressedKeyOf(privateKey: PrivateKey): Uint8Array {
  let publicKey = publicKeys.get(privateKey);
  if (publicKey === undefined) {
    publicKey = digestSigner.publicKeyOf(keyBytes(privateKey));
    publicKeys.set(privateKey, publicKey);
  }
  return publicKey;
}
