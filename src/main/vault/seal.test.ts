import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { KEY_BYTES, seal, unseal } from './seal.ts';

const key = randomBytes(KEY_BYTES);
const plain = Buffer.from('a secret');

it('what is sealed opens under its key and its context alone', () => {
  const sealed = seal(key, plain, 'entry seed:main');
  expect(unseal(key, sealed, 'entry seed:main')).toEqual(new Uint8Array(plain));
  // an entry of one name in the place of another
  for (const context of ['entry seed:test', 'entry seed:mai', 'slot seed:main', '']) {
    expect(unseal(key, sealed, context)).toBeUndefined();
  }
  expect(unseal(randomBytes(KEY_BYTES), sealed, 'entry seed:main')).toBeUndefined();
});

it('what is sealed does not open where a bit was changed, or bytes are missing', () => {
  const { nonce, sealed } = seal(key, plain, 'entry');
  const bytes = Buffer.from(sealed, 'hex');
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    expect(unseal(key, { nonce, sealed: changed.toString('hex') }, 'entry')).toBeUndefined();
  }
  for (let length = 0; length < bytes.length; length++) {
    expect(unseal(key, { nonce, sealed: sealed.slice(0, 2 * length) }, 'entry')).toBeUndefined();
  }
});

it('an empty text is sealed, too, and as the file format says', () => {
  const { nonce, sealed } = seal(key, new Uint8Array(), 'entry');
  expect([nonce.length, sealed.length]).toEqual([2 * 12, 2 * 16]);
  expect(unseal(key, { nonce, sealed }, 'entry')).toEqual(new Uint8Array());
});

it('nothing is sealed twice under one nonce', () => {
  const nonces = Array.from({ length: 100 }, () => seal(key, plain, 'entry').nonce);
  expect(new Set(nonces).size).toBe(100);
});
