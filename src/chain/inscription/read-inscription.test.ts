import { Inscription, Lock, MultiSigPubkeyHash, OrdLock as OrdLockTemplate } from '@bopen-io/templates';
import { LockingScript, P2PKH, PrivateKey } from '@bsv/sdk';
import fc from 'fast-check';
import { applyInscription, OrdLock, OrdP2PKH } from 'js-1sat-ord';
import { describe, expect, it } from 'vitest';
import {
  concatBytes,
  dataScript,
  fromHex,
  inscriptionScript,
  ownerKeyHash,
  p2pkhScript,
  parseInscription,
  pushData,
  readInscription,
  toHex,
} from '../index.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const key = PrivateKey.fromHex('11'.repeat(32));
const other = PrivateKey.fromHex('22'.repeat(32));
const publicKey = Uint8Array.from(key.toPublicKey().toDER() as number[]);
const otherKey = Uint8Array.from(other.toPublicKey().toDER() as number[]);
const keyHash = Uint8Array.from(key.toPublicKey().toHash() as number[]);
const address = key.toAddress();

const content = Uint8Array.from({ length: 300 }, (_, i) => i & 0xff);
const contentType = 'image/png';
const inscribed = { dataB64: Buffer.from(content).toString('base64'), contentType };
const metaData = { app: 'example', type: 'ord', name: 'Comet ☄' } as const;
const bytesOf = (script: { toHex(): string }) => fromHex(script.toHex());
const scriptOf = (script: Uint8Array) => LockingScript.fromHex(toHex(script));

const p2pk = concatBytes(pushData(publicKey), Uint8Array.of(0xac));
const multisig = concatBytes(Uint8Array.of(0x51), pushData(publicKey), pushData(otherKey), Uint8Array.of(0x52, 0xae));
/** A hash puzzle that contains a condition, an OP_RETURN and an OP_FALSE OP_IF: none of them belongs to the inscription. */
const custom = fromHex('7652876300630568656c6c6f686a6776a86801aa');
const envelope = bytesOf(applyInscription(scriptOf(custom), inscribed)).subarray(0, -custom.length);

describe('readInscription', () => {
  it('reads what js-1sat-ord writes for a key: the envelope first, the metadata after the lock', () => {
    const script = bytesOf(new OrdP2PKH().lock(address, inscribed, metaData));
    expect(script.subarray(0, 7)).toEqual(fromHex('0063036f726451'));
    expect(parseInscription(script)).toBeUndefined();
    expect(readInscription(script)).toStrictEqual({ contentType, content, map: metaData, pubKeyHash: keyHash });
  });

  it('reads what js-1sat-ord writes before other locks, with a code separator too', () => {
    const listed = bytesOf(new OrdLock().lock(address, other.toAddress(), 1_000, inscribed));
    expect(readInscription(listed)).toStrictEqual({ contentType, content, map: {} });
    for (const lock of [p2pk, multisig, custom]) {
      for (const separated of [false, true]) {
        const script = bytesOf(applyInscription(scriptOf(lock), inscribed, metaData, separated));
        const owner = lock === p2pk ? { pubKeyHash: keyHash } : {};
        expect(readInscription(script)).toStrictEqual({ contentType, content, map: metaData, ...owner });
      }
    }
    const own = bytesOf(applyInscription(scriptOf(p2pkhScript(keyHash)), inscribed, undefined, true));
    expect(readInscription(own)?.pubKeyHash).toEqual(keyHash);
  });

  it('reads what @bopen-io/templates writes on either side of a lock, with a parent too', () => {
    const locks = [
      new P2PKH().lock(address),
      new MultiSigPubkeyHash().lock(undefined, [key.toPublicKey(), other.toPublicKey()], 1),
      Lock.lock(address, 700_000),
      OrdLockTemplate.lock(address, other.toAddress(), 1_000),
      scriptOf(p2pk),
      scriptOf(custom),
    ];
    for (const lock of locks) {
      for (const side of ['scriptPrefix', 'scriptSuffix']) {
        for (const parent of [{}, { parent: new Uint8Array(36).fill(7) }]) {
          const script = bytesOf(Inscription.create(content, contentType, { [side]: lock, ...parent }).lock());
          expect(readInscription(script), lock.toASM()).toMatchObject({ contentType, content });
        }
      }
    }
    expect(ownerKeyHash(bytesOf(Inscription.create(content, contentType, { scriptSuffix: locks[0] }).lock()))).toEqual(
      keyHash,
    );
  });

  it('agrees with the strict parser on our own inscriptions, also with the envelope moved to the front', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const map = fc.dictionary(
      text.filter((word) => word !== '|'),
      text.filter((word) => word !== '|'),
      { maxKeys: 5, noNullPrototype: true },
    );
    fc.assert(
      fc.property(text, fc.uint8Array({ maxLength: 300 }), map, (type, bytes, metadata) => {
        const script = inscriptionScript({ pubKeyHash: keyHash, contentType: type, content: bytes, map: metadata });
        const expected = parseInscription(script);
        expect(readInscription(script)).toEqual(expected);
        const bare = inscriptionScript({ pubKeyHash: keyHash, contentType: type, content: bytes, map: {} });
        const end = bare.length - 40; // OP_RETURN and the pushes of the MAP prefix and SET
        const moved = concatBytes(script.subarray(25, end), script.subarray(0, 25), script.subarray(end));
        expect(readInscription(moved)).toEqual(expected);
      }),
    );
  });

  it('returns undefined if there is no inscription', () => {
    const hidden = concatBytes(Uint8Array.of(0x51, 0x63), envelope, Uint8Array.of(0x68), p2pkhScript(keyHash));
    for (const script of [
      p2pkhScript(keyHash),
      dataScript([utf8('ord')]),
      concatBytes(fromHex('006a'), envelope),
      concatBytes(p2pkhScript(keyHash), fromHex('6a'), envelope),
      hidden,
      envelope.subarray(0, -1),
      fromHex('0063036f72645161686a'),
      concatBytes(pushData(envelope), p2pkhScript(keyHash)),
      new Uint8Array(0),
    ]) {
      expect(readInscription(script)).toBeUndefined();
    }
  });

  it('never throws, and returns an owner only if that key alone can spend', () => {
    const part = fc.oneof(
      fc.uint8Array({ maxLength: 30 }),
      fc.constantFrom(envelope, p2pk, multisig, custom, p2pkhScript(keyHash), fromHex('0063'), fromHex('68')),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const script = concatBytes(...parts);
        readInscription(script);
        const owner = ownerKeyHash(script);
        if (owner !== undefined) expect(toHex(script)).toMatch(new RegExp(`76a914${toHex(owner)}88ac|21.{66}ac`));
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads a bounded number of metadata pairs and of operations', () => {
    const pairs = Array.from({ length: 5_000 }, (_, i) => concatBytes(pushData(utf8(`k${i}`)), pushData(utf8('v'))));
    const script = concatBytes(inscriptionScript({ pubKeyHash: keyHash, contentType, content, map: {} }), ...pairs);
    expect(Object.keys(readInscription(script)?.map ?? {})).toHaveLength(1_000);
    expect(readInscription(concatBytes(new Uint8Array(100_000).fill(0x61), envelope))).toBeUndefined();
  });

  it('stops reading metadata after a bounded number of operations that repeat one key', () => {
    const pair = (value: string) => concatBytes(pushData(utf8('k')), pushData(utf8(value)));
    const pairs = [...Array.from({ length: 20_000 }, () => pair('read')), pair('not read')];
    const script = concatBytes(inscriptionScript({ pubKeyHash: keyHash, contentType, content, map: {} }), ...pairs);
    expect(readInscription(script)?.map).toEqual({ k: 'read' });
  });

  it('returns no inscription and no owner if the envelope exceeds the limit of operations', () => {
    const open = fromHex('0063036f7264');
    const withPairs = (pairs: number) =>
      concatBytes(open, new Uint8Array(2 * pairs).fill(0x51), Uint8Array.of(0x68), p2pkhScript(keyHash));
    expect(readInscription(withPairs(9_000))?.pubKeyHash).toEqual(keyHash);
    expect(ownerKeyHash(withPairs(9_000))).toEqual(keyHash);
    expect(readInscription(withPairs(11_000))).toBeUndefined();
    expect(ownerKeyHash(withPairs(11_000))).toBeUndefined();
    // many envelopes count together
    const several = concatBytes(...Array.from({ length: 12_000 }, () => fromHex('00635168')), p2pkhScript(keyHash));
    expect(ownerKeyHash(several.subarray(-25 - 4 * 9_000))).toEqual(keyHash);
    expect(ownerKeyHash(several)).toEqual(undefined);
  });

  it('reads metadata of MAP only and skips other protocols', () => {
    const words = [
      '|',
      'other',
      'SET',
      'name',
      'wrong',
      '|',
      '1PuQa7K62MiKCtssSLKy1kh56WWU7MtUR5',
      'SET',
      'name',
      'Moon',
    ];
    const tail = [...words, '|', 'SIGMA', 'BSM', 'x', 'y'].map((word) => pushData(utf8(word)));
    const script = concatBytes(envelope, p2pkhScript(keyHash), Uint8Array.of(0x6a), ...tail);
    expect(readInscription(script)?.map).toEqual({ name: 'Moon' });
  });
});
