import { BigNumber, type PrivateKey } from '@bsv/sdk';
import { sign } from '@bsv/sdk/primitives/ECDSA';
import { toHex } from '../../chain/index.ts';
import { publicKeyOf, type SigningInfo } from '../index.ts';
import { keys } from './keys.ts';

const byPublicKey = new Map(Object.values(keys).map((key) => [toHex(publicKeyOf(key)), key]));

/** Signs with only the key and the signing info, without this library. */
export function signInfo({ publicKey, digest, sighash }: SigningInfo): string {
  const key = byPublicKey.get(publicKey) as PrivateKey;
  const signature = sign(new BigNumber(digest, 16), key, true);
  return (signature.toDER('hex') as string) + sighash.toString(16);
}
