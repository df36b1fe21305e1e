import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  asFundingUtxo,
  decodeAddress,
  encodeAddress,
  fromHex,
  leadingP2pkh,
  p2pkhScript,
  parseP2pkh,
  satoshis,
  toHex,
  type Utxo,
} from '../index.ts';
import { readVectors } from '../test-support/fixtures.ts';

type ValidKey = [text: string, hex: string, { addrType?: 'pubkey' | 'script'; isPrivkey: boolean; isTestnet: boolean }];

const valid = readVectors<ValidKey[]>('base58_keys_valid.json');
const invalid = readVectors<[string][]>('base58_keys_invalid.json');
const addressError = expect.objectContaining({ code: 'address-invalid' });
const keyHash = fc.uint8Array({ minLength: 20, maxLength: 20 });

describe('addresses', () => {
  it("decode and encode the node's valid ones, both networks", () => {
    const addresses = valid.filter(([, , { addrType }]) => addrType === 'pubkey');
    expect(addresses.length).toBeGreaterThan(10);
    for (const [text, hex, { isTestnet }] of addresses) {
      const network = isTestnet ? 'test' : 'main';
      expect(decodeAddress(text)).toStrictEqual({ network, pubKeyHash: fromHex(hex) });
      expect(encodeAddress(fromHex(hex), network)).toBe(text);
    }
  });

  it('refuse script addresses, private keys and everything the node calls invalid', () => {
    const others = valid.filter(([, , { addrType }]) => addrType !== 'pubkey').map(([text]) => text);
    expect(others.length).toBeGreaterThan(10);
    for (const text of [...others, ...invalid.map(([text]) => text)])
      expect(() => decodeAddress(text)).toThrow(addressError);
  });

  it('refuse every single-character typing error, and extra text around an address', () => {
    const [text] = valid[0] as ValidKey;
    for (let i = 0; i < text.length; i++) {
      const wrong = `${text.slice(0, i)}${text[i] === '2' ? '3' : '2'}${text.slice(i + 1)}`;
      expect(() => decodeAddress(wrong)).toThrow(addressError);
    }
    for (const wrong of [
      ` ${text}`,
      `${text}\n`,
      `1${text}`,
      `bitcoin:${text}`,
      text.slice(1),
      'é'.repeat(30),
      '1'.repeat(1e6),
    ]) {
      expect(() => decodeAddress(wrong)).toThrow(addressError);
    }
  });

  it('round-trip through text', () => {
    fc.assert(
      fc.property(keyHash, fc.constantFrom('main' as const, 'test' as const), (pubKeyHash, network) => {
        expect(decodeAddress(encodeAddress(pubKeyHash, network))).toStrictEqual({ network, pubKeyHash });
      }),
    );
    expect(() => encodeAddress(new Uint8Array(19), 'main')).toThrow(addressError);
  });
});

describe('P2PKH scripts', () => {
  it('have 25 bytes and are recognised alone or as a prefix', () => {
    fc.assert(
      fc.property(keyHash, fc.uint8Array({ minLength: 1 }), (pubKeyHash, tail) => {
        const script = p2pkhScript(pubKeyHash);
        expect(toHex(script)).toBe(`76a914${toHex(pubKeyHash)}88ac`);
        expect(parseP2pkh(script)).toStrictEqual(pubKeyHash);
        const longer = Buffer.concat([script, tail]);
        expect(parseP2pkh(longer)).toBeUndefined();
        expect(leadingP2pkh(longer)).toStrictEqual(pubKeyHash);
      }),
    );
    expect(() => p2pkhScript(new Uint8Array(21))).toThrow(addressError);
  });

  it('are not recognised if a fixed byte differs or the end is missing', () => {
    const script = p2pkhScript(new Uint8Array(20));
    for (const i of [0, 1, 2, 23, 24]) {
      const wrong = Uint8Array.from(script);
      wrong[i] = 0;
      expect(leadingP2pkh(wrong)).toBeUndefined();
    }
    expect(leadingP2pkh(script.subarray(0, 24))).toBeUndefined();
  });
});

describe('funding outputs', () => {
  const script = p2pkhScript(new Uint8Array(20));
  const utxo = (value: number, lockingScript: Uint8Array): Utxo => ({
    txid: '00'.repeat(32),
    vout: 0,
    satoshis: satoshis(value),
    lockingScript,
  });

  it('are plain P2PKH of more than one satoshi', () => {
    const money = utxo(2, script);
    expect(asFundingUtxo(money)).toBe(money);
  });

  it('never have one satoshi or less, or any other script', () => {
    fc.assert(
      fc.property(fc.nat({ max: 5 }), fc.uint8Array({ maxLength: 30 }), (value, tail) => {
        const accepted = asFundingUtxo(utxo(value, Uint8Array.of(...script, ...tail))) !== undefined;
        expect(accepted).toBe(value > 1 && tail.length === 0);
      }),
    );
    expect(asFundingUtxo(utxo(1000, fromHex('51')))).toBeUndefined();
  });
});
