import { Mnemonic } from '@bsv/sdk';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../chain/index.ts';
import { derivePublicChild, type ExtendedKey, parseExtendedKey } from './extended-key.ts';
import { deriveKey, type HdKey } from './hd-key.ts';
import { entropyOf, mnemonicLengths, mnemonicOf, newEntropy, seedOf, seedOfSentence } from './mnemonic.ts';
import bip32 from './vectors/bip-0032-vectors.json' with { type: 'json' };
import fixtures from './vectors/bitcoinjs-bip32-fixtures.json' with { type: 'json' };
import bip39 from './vectors/trezor-vectors.json' with { type: 'json' };

const PASSPHRASE = 'TREZOR';

const hexOf = ({ privateKey, chainCode }: HdKey) => ({
  chainCode: toHex(chainCode),
  privateKey: privateKey.toHex().padStart(64, '0'),
});
const privateOf = (key: ExtendedKey) => hexOf(key.private as HdKey);

describe('the BIP39 vectors', () => {
  it.each(bip39.english as string[][])('are read and written, entropy %s', (entropy, sentence, seed, xprv) => {
    expect(mnemonicOf(fromHex(entropy as string))).toBe(sentence);
    expect(toHex(entropyOf(sentence as string))).toBe(entropy);
    expect(toHex(seedOf(fromHex(entropy as string), PASSPHRASE))).toBe(seed);
    expect(hexOf(deriveKey(fromHex(seed as string), 'm'))).toEqual(privateOf(parseExtendedKey(xprv as string)));
  });

  it.each(Object.keys(bip39).filter((language) => language !== 'english'))('in %s give their seeds', (language) => {
    const rows = bip39[language as keyof typeof bip39] as string[][];
    expect(rows).toHaveLength(24);
    for (const [, sentence, seed, xprv] of rows) {
      expect(toHex(seedOfSentence(sentence as string, PASSPHRASE))).toBe(seed);
      expect(hexOf(deriveKey(fromHex(seed as string), 'm'))).toEqual(privateOf(parseExtendedKey(xprv as string)));
      // only the English list is offered, and another one is refused rather than misread
      expect(() => entropyOf(sentence as string)).toThrow();
    }
  });

  it.each(mnemonicLengths)('have no 15 and 21 words: %d words are held against the SDK', (length) => {
    for (const passphrase of ['', PASSPHRASE, 'pässwörd']) {
      const entropy = newEntropy(length);
      const sdk = Mnemonic.fromEntropy(Array.from(entropy));
      expect(entropyOf(sdk.toString())).toEqual(Uint8Array.from(entropy));
      expect(Array.from(seedOf(entropy, passphrase))).toEqual(sdk.toSeed(passphrase));
    }
  });
});

describe('the BIP32 vectors', () => {
  const chains = bip32.valid.flatMap(({ seed, chains: of }) => of.map((chain) => ({ seed, ...chain })));

  it.each(chains)('derive $path', ({ seed, path, xprv, xpub }) => {
    const derived = deriveKey(fromHex(seed), path);
    const written = parseExtendedKey(xprv);
    expect(hexOf(derived)).toEqual(privateOf(written));
    const open = parseExtendedKey(xpub);
    expect(open.private).toBeUndefined();
    expect({ publicKey: open.publicKey, chainCode: open.chainCode }).toEqual({
      publicKey: derived.privateKey.toPublicKey().toString(),
      chainCode: derived.chainCode,
    });
    expect(written.publicKey).toBe(open.publicKey);
    const last = path.split('/').at(-1) as string;
    if (path === 'm' || last.endsWith("'")) return;
    const parent = chains.find((one) => one.seed === seed && one.path === path.slice(0, -last.length - 1));
    if (parent === undefined) return;
    const { publicKey, chainCode } = derivePublicChild(parseExtendedKey(parent.xpub), Number(last));
    expect({ publicKey, chainCode }).toEqual({ publicKey: open.publicKey, chainCode: open.chainCode });
  });

  it.each(bip32.invalid)('are refused: $why', ({ key }) => {
    const refused = refusalOf(() => parseExtendedKey(key));
    expect(refused).toBeInstanceOf(Error);
    expect(refused?.message).not.toContain(key);
  });
});

describe('the fixtures of bitcoinjs', () => {
  it.each(fixtures.valid.map((one, index) => ({ ...one, index })))('tree $index', ({ network, master, children }) => {
    const known = network === 'bitcoin';
    const nodes = [{ path: 'm', ...master }, ...children];
    const seed = 'seed' in master ? (master.seed as string) : undefined;
    for (const { path, privKey, pubKey, chainCode, base58, base58Priv } of nodes) {
      if (seed !== undefined) {
        expect(hexOf(deriveKey(fromHex(seed), path as string))).toEqual({ chainCode, privateKey: privKey });
      }
      if (!known) {
        expect(() => parseExtendedKey(base58)).toThrow('no extended key');
        continue;
      }
      expect(privateOf(parseExtendedKey(base58Priv))).toEqual({ chainCode, privateKey: privKey });
      expect(parseExtendedKey(base58)).toMatchObject({ publicKey: pubKey, private: undefined });
    }
  });

  it('that are invalid are refused', () => {
    for (const { string } of fixtures.invalid.fromBase58) expect(() => parseExtendedKey(string)).toThrow();
    for (const { seed } of fixtures.invalid.fromSeed) expect(() => deriveKey(fromHex(seed), 'm')).toThrow('16 to 64');
    const seed = new Uint8Array(16);
    for (const { derivationPath: path } of fixtures.invalid.derivePath) {
      if (typeof path === 'string') expect(() => deriveKey(seed, path)).toThrow(/derivation path/);
    }
    for (const { index } of [...fixtures.invalid.derive, ...fixtures.invalid.deriveHardened]) {
      expect(() => deriveKey(seed, `m/${index}`)).toThrow(/derivation path/);
    }
  });

  it('name no malformed paths: these are refused as well', () => {
    for (const path of ['', '0', 'm/', 'm/x', 'm/-1', 'm/01', "m/0''", 'm/2147483648', 'm/0h', 'M/0']) {
      expect(() => deriveKey(new Uint8Array(16), path)).toThrow(/derivation path/);
    }
    const master = parseExtendedKey(bip32.valid[0]?.chains[0]?.xpub as string);
    expect(() => derivePublicChild(master, 0x80000000)).toThrow('needs the private key');
  });
});

function refusalOf(run: () => unknown): Error | undefined {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  return undefined;
}
