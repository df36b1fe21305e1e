import { describe, expect, it } from 'vitest';
import { toHex } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { SeedKeys } from './seed-keys.ts';

const KEY_ID = 'a1b2c3';
const seed = (n: number) => () => new Uint8Array(32).fill(n);
const keys = new SeedKeys('test', seed(1));
const without = new SeedKeys('test', () => {
  throw new PlanchetError({ code: 'wallet-missing', message: 'There is no wallet.' });
});

describe('keys of the seed', () => {
  it('are the same in every version: a service keeps the public key it was told', () => {
    expect(toHex(keys.signingKey(KEY_ID) ?? new Uint8Array())).toBe(
      'c479192435c32cb57c8e3f8f618a7d46ee30b1078b6d0b5085b1e3feaf7274f7',
    );
  });

  it('differ by API key, network and wallet', () => {
    const others = [
      keys.signingKey('other'),
      new SeedKeys('main', seed(1)).signingKey(KEY_ID),
      new SeedKeys('test', seed(2)).signingKey(KEY_ID),
    ];
    expect(new Set([keys.signingKey(KEY_ID), ...others].map((key) => toHex(key ?? new Uint8Array()))).size).toBe(4);
  });

  it('open what the same wallet sealed for the same key alone, unchanged', () => {
    const sealed = keys.seal(KEY_ID, 'secret-api-key') ?? '';
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('secret');
    expect(new SeedKeys('test', seed(1)).open(KEY_ID, sealed)).toBe('secret-api-key');
    const changed = Buffer.from(sealed, 'base64');
    changed.writeUInt8(changed.readUInt8(14) ^ 1, 14);
    expect(new SeedKeys('test', seed(2)).open(KEY_ID, sealed)).toBeUndefined();
    expect(keys.open('other', sealed)).toBeUndefined();
    expect(keys.open(KEY_ID, changed.toString('base64'))).toBeUndefined();
    expect(keys.open(KEY_ID, '')).toBeUndefined();
  });

  it('do not exist without a wallet, and a locked vault says that it is locked', () => {
    expect(without.signingKey(KEY_ID)).toBeUndefined();
    expect(without.seal(KEY_ID, 'secret-api-key')).toBeNull();
    const locked = new SeedKeys('test', () => {
      throw new PlanchetError({ code: 'vault-locked', message: 'The vault is locked.' });
    });
    expect(() => locked.signingKey(KEY_ID)).toThrow(expect.objectContaining({ code: 'vault-locked' }));
  });
});
