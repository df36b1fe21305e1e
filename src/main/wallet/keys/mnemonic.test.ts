import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entropyOf, mnemonicLengths, mnemonicOf, newEntropy } from './mnemonic.ts';
import { moneyBranch, moneyKey } from './wallet-key.ts';

describe('a BIP39 sentence', () => {
  it('is read as the entropy it was written from, in capitals and with any white space too', () => {
    fc.assert(
      fc.property(fc.constantFrom(...mnemonicLengths), (words) => {
        const entropy = newEntropy(words);
        const sentence = mnemonicOf(entropy);
        expect(sentence.split(' ')).toHaveLength(words);
        expect(entropyOf(sentence)).toEqual(new Uint8Array(entropy));
        expect(entropyOf(`  ${sentence.toUpperCase().replaceAll(' ', ' \n\t')} `)).toEqual(new Uint8Array(entropy));
      }),
    );
  });

  it('is refused where it is malformed, without being repeated in the error', () => {
    const good = mnemonicOf(new Uint8Array(16)).split(' ');
    const bad = {
      'has 0 words': '',
      'has 11 words': good.slice(1).join(' '),
      'has 13 words': [...good, 'about'].join(' '),
      'Word 3 ': good.with(2, 'bitcoinz').join(' '),
      'do not fit together': good.with(11, 'abandon').join(' '),
      'or two have changed': good.with(0, 'about').with(11, 'abandon').join(' '),
    };
    for (const [why, sentence] of Object.entries(bad)) {
      const failure = catching(() => entropyOf(sentence));
      expect(failure).toMatchObject({ code: 'invalid-input', hint: expect.any(String) });
      expect(String(failure)).not.toContain('abandon');
      expect(String(failure)).toContain(why);
    }
  });
});

describe('the key of a network', () => {
  it('is the one other wallets find under the same words', () => {
    // "abandon … about" is published everywhere; this is its first BIP44 address on the test network.
    expect(moneyKey(moneyBranch(new Uint8Array(16), '', 'test'), 'test', 0).address).toBe(
      'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV',
    );
  });

  it('is another one on the main network, and the same on the sandbox as on the test network', () => {
    const [main, test, sandbox] = (['main', 'test', 'sandbox'] as const).map((network) =>
      moneyKey(moneyBranch(new Uint8Array(16), '', network), network, 0),
    );
    expect(main?.address).toMatch(/^1/);
    expect(main?.publicKey).not.toBe(test?.publicKey);
    expect(sandbox?.address).toBe(test?.address);
    expect(moneyKey(moneyBranch(new Uint8Array(16), '', 'test'), 'test', 1).address).not.toBe(test?.address);
  });
});

function catching(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
