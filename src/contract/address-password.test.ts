import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskPasswords, unmaskPasswords } from './address-password.ts';

const saved = 'http://me:p%40ss@127.0.0.1:1/, https://you:$1@node.example/rpc?x=1#y ,http://open.example';

describe('passwords in addresses', () => {
  it('are masked, and restored if the address did not change', () => {
    const shown = maskPasswords(saved);
    expect(shown).toBe('http://me:•••@127.0.0.1:1/, https://you:•••@node.example/rpc?x=1#y ,http://open.example');
    expect(unmaskPasswords(shown, saved)).toBe(saved);
    expect(unmaskPasswords('https://you:•••@node.example/other', saved)).toBe('https://you:$1@node.example/other');
    expect(unmaskPasswords('http://me:new@127.0.0.1:1/', saved)).toBe('http://me:new@127.0.0.1:1/');
  });

  it('are masked even if they contain delimiters of an address', () => {
    expect(maskPasswords('http://me:a@b:c@host:1/x@y')).toBe('http://me:•••@host:1/x@y');
    expect(maskPasswords('http://:pw@host')).toBe('http://:•••@host');
  });

  it.each([
    'http://me:•••@127.0.0.1:2/',
    'https://me:•••@127.0.0.1:1/',
    'http://he:•••@127.0.0.1:1/',
    'http://me:•••@evil.example/127.0.0.1:1/',
  ])('are never put into %s', (typed) => {
    expect(unmaskPasswords(typed, saved)).toBeUndefined();
  });

  it('leave every other text as it is, and never show through', () => {
    for (const text of ['', ':8332', 'tcp://a:1', 'planchet', 'http://me@host/', 'http://host/a:b@c']) {
      expect(maskPasswords(text)).toBe(text);
      expect(unmaskPasswords(text, saved)).toBe(text);
    }
    const word = fc.stringMatching(/^[a-zA-Z0-9$%&*+;=!~'().-]{1,12}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 3 }), (pairs) => {
        const list = pairs.map(([user, password], at) => `http://${user}:QQ${password}QQ@host${at}:1/`).join(',');
        const shown = maskPasswords(list);
        for (const [, password] of pairs) expect(shown).not.toContain(`QQ${password}QQ`);
        expect(unmaskPasswords(shown, list)).toBe(list);
      }),
    );
  });
});
