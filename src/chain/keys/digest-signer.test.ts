import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sdkSigner } from './digest-signer.ts';
import { nativeSigner } from './native-verifier.ts';

const secretOf = (n: number) => Uint8Array.from(createHash('sha256').update(`${n}`).digest());

describe('adding a number to a public key', () => {
  it('returns the same point with the compiled signer and with the SDK', () => {
    for (let n = 0; n < 20; n++) {
      const key = sdkSigner.publicKeyOf(secretOf(n));
      const sum = sdkSigner.addToPublicKey(key, secretOf(100 + n));
      expect(nativeSigner?.addToPublicKey(key, secretOf(100 + n))).toEqual(sum);
    }
  });

  it('is refused if the sum is not a point, or the number is outside the order of the curve', () => {
    const order = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');
    const one = Uint8Array.of(...new Uint8Array(31), 1);
    const minusOne = Uint8Array.from(order);
    minusOne[31] = (minusOne[31] as number) - 1;
    for (const signer of [sdkSigner, nativeSigner]) {
      const key = sdkSigner.publicKeyOf(one);
      expect(() => signer?.addToPublicKey(key, minusOne)).toThrow();
      expect(() => signer?.addToPublicKey(key, new Uint8Array(32).fill(0xff))).toThrow();
    }
  });
});
