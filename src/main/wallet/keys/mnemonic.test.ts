import { Utils } from '@bsv/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../chain/index.ts';
import { deriveKey } from './hd-key.ts';
import { entropyOf, mnemonicLengths, mnemonicOf, newEntropy, seedOf } from './mnemonic.ts';
import bip32 from './vectors/bip32.json' with { type: 'json' };
import bip39 from './vectors/bip39-english.json' with { type: 'json' };
import { moneyBranch, moneyKey } from './wallet-key.ts';

/** Bytes 13 to 45 of an extended key are its chain code, 46 to 78 its private key. */
function partsOf(xprv: string): { chainCode: string; privateKey: string } {
  const { prefix, data } = Utils.fromBase58Check(xprv) as { prefix: number[]; data: number[] };
  const bytes = Uint8Array.from([...prefix, ...data]);
  return { chainCode: toHex(bytes.subarray(13, 45)), privateKey: toHex(bytes.subarray(46, 78)) };
}

const hexOf = ({ privateKey, chainCode }: ReturnType<typeof deriveKey>) => ({
  chainCode: toHex(chainCode),
  privateKey: privateKey.toHex().padStart(64, '0'),
});

describe('BIP39', () => {
  it.each(bip39)('reads and writes "$mnemonic"', ({ entropy, mnemonic, seed, xprv }) => {
    expect(mnemonicOf(fromHex(entropy))).toBe(mnemonic);
    expect(toHex(entropyOf(mnemonic))).toBe(entropy);
    expect(toHex(seedOf(fromHex(entropy), 'TREZOR'))).toBe(seed);
    expect(hexOf(deriveKey(fromHex(seed), 'm'))).toEqual(partsOf(xprv));
  });

  it('reads back what it wrote, in capitals and with wild white space too', () => {
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

  it('refuses a sentence that is none, without repeating it', () => {
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

describe('BIP32', () => {
  it.each(bip32.flatMap(({ seed, chains }) => chains.map(({ path, xprv }) => ({ seed, path, xprv }))))(
    'derives $path',
    ({ seed, path, xprv }) => {
      expect(hexOf(deriveKey(fromHex(seed), path))).toEqual(partsOf(xprv));
    },
  );

  it('refuses a path that is none', () => {
    for (const path of ['', '0', 'm/', 'm/x', 'm/-1', 'm/01', "m/0''", 'm/2147483648', 'm/0h', 'M/0']) {
      expect(() => deriveKey(new Uint8Array(16), path)).toThrow(/derivation path/);
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
