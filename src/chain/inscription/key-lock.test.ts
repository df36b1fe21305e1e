import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, keyLockOf, ownerKeyHash, p2pkhScript } from '../index.ts';

const hash = new Uint8Array(20).fill(7);
const lock = p2pkhScript(hash);
const envelope = fromHex('0063036f7264510161000162' + '68');
const script = (...parts: (Uint8Array | string)[]) =>
  concatBytes(...parts.map((part) => (typeof part === 'string' ? fromHex(part) : part)));
const publicKey = fromHex(`02${'11'.repeat(32)}`);
const keyLock = script('21', publicKey, 'ac');

describe('keyLockOf', () => {
  it('finds the key of a lock before and after envelopes, and the part of the script that its signature covers', () => {
    const separated = script(envelope, 'ab', lock);
    for (const [one, signed] of [
      [lock, lock],
      [script(lock, envelope), script(lock, envelope)],
      [script(envelope, envelope, lock), script(envelope, envelope, lock)],
      [separated, lock],
      [script(envelope, 'ab', lock, '6a', '0107'), script(lock, '6a0107')],
    ] as const) {
      expect(keyLockOf(one)).toMatchObject({ pubKeyHash: hash, holdsKey: false, complete: true });
      expect(keyLockOf(one)?.signed).toEqual(signed);
    }
  });

  it('accepts P2PK only after an envelope, where the signature alone unlocks it', () => {
    expect(keyLockOf(script(envelope, keyLock))).toMatchObject({ holdsKey: true, complete: true });
    expect(keyLockOf(script(envelope, 'ab', keyLock, '6a01'))?.signed).toEqual(script(keyLock, '6a01'));
    expect(keyLockOf(keyLock)).toBeUndefined();
    expect(keyLockOf(script(envelope, keyLock, '00'))).toBeUndefined();
  });

  it('reports scripts that require more than the key', () => {
    for (const tail of ['00', '51', '87', '0063', '006351ac68', '00630161', 'ab']) {
      expect(keyLockOf(script(lock, tail)), tail).toMatchObject({ pubKeyHash: hash, complete: false });
      expect(keyLockOf(script(envelope, lock, tail)), tail).toMatchObject({ complete: false });
    }
    for (const tail of ['', '6a', '6aff00', '0063005168', '006351686a'])
      expect(keyLockOf(script(lock, tail)), tail).toMatchObject({ complete: true });
  });

  it('finds no key in other scripts', () => {
    for (const other of ['', '6a', '0063', '006351', 'ab', '51'])
      expect(keyLockOf(script(other, other === 'ab' ? lock : '')), other).toBeUndefined();
    expect(ownerKeyHash(script('00635175', '68', lock))).toBeUndefined();
  });
});
