import { BigNumber, PrivateKey, Signature } from '@bsv/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  concatBytes,
  fromHex,
  type JsonEnvelope,
  nativeSigner,
  parseDerSignature,
  sha256,
  signEnvelope,
  signerKeyOf,
  toHex,
  verifyEnvelope,
} from '../index.ts';
import { key, otherKey, readVectors } from '../test-support/fixtures.ts';
import { sdkSigner } from './digest-signer.ts';

const publicKey = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

describe('signEnvelope', () => {
  it('writes null for signature and key if there is no key', () => {
    const envelope = signEnvelope('{"a":1}');
    expect(envelope).toStrictEqual({
      payload: '{"a":1}',
      signature: null,
      publicKey: null,
      encoding: 'json',
      mimetype: 'application/json',
    });
    expect(verifyEnvelope(envelope)).toBe('unsigned');
  });

  it('creates a valid signature for any payload', () => {
    const envelope = signEnvelope('{"a":1}', key);
    expect(envelope).toMatchObject({ payload: '{"a":1}', publicKey, encoding: 'UTF-8', mimetype: 'application/json' });
    expect(signEnvelope('{"a":1}', key)).toStrictEqual(envelope);
    fc.assert(
      fc.property(fc.json(), (payload) => verifyEnvelope(signEnvelope(payload, key)) === 'valid'),
      { numRuns: 20 },
    );
  });
});

describe.skipIf(nativeSigner === undefined)('the compiled signer', () => {
  const keyBytes = fc.oneof(
    fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .filter((bytes) => bytes.some((byte) => byte > 0) && bytes[0] !== 255),
    // small numbers, whose leading zeros an encoding could drop
    fc.integer({ min: 1, max: 70_000 }).map((number) => Uint8Array.from(new PrivateKey(number).toArray('be', 32))),
  );

  it('returns the same bytes as the SDK', () => {
    fc.assert(
      fc.property(fc.json(), keyBytes, (payload, bytes) => {
        const signing = new PrivateKey(Array.from(bytes));
        expect(signEnvelope(payload, signing, nativeSigner)).toStrictEqual(signEnvelope(payload, signing, sdkSigner));
      }),
      { numRuns: 30 },
    );
  });

  it('signs digests with leading zeros, and those just below the order of the curve, like the SDK', () => {
    const digests = [0, 1, 2, 8, 31, 32].map((zeros) => new Uint8Array(32).fill(0xab).fill(0, 0, zeros));
    const privateKey = Uint8Array.from(otherKey.toArray('be', 32));
    for (const digest of [...digests, new Uint8Array(32).fill(0xff).fill(0xfe, 15, 16).fill(0xaa, 16)]) {
      expect(nativeSigner?.sign(digest, privateKey)).toEqual(sdkSigner.sign(digest, privateKey));
    }
  });
});

describe('verifyEnvelope', () => {
  const signed = signEnvelope('{"minerId":"ü"}', key);
  const other = signEnvelope('{"minerId":"ü"}', otherKey);

  const samples = readVectors<{ kind: string; verifies: boolean; envelope: JsonEnvelope }[]>('json-envelopes.json');

  it.each(samples)('accepts the sample of the specification: $kind', ({ verifies, envelope }) => {
    expect(verifies).toBe(true);
    expect(verifyEnvelope(envelope)).toBe('valid');
    expect(verifyEnvelope({ ...envelope, payload: `A${envelope.payload.slice(1)}` })).toBe('invalid');
  });

  it('accepts strict DER only: any other encoding of the same numbers is invalid', () => {
    const header = (body: Uint8Array) => concatBytes(Uint8Array.of(0x30, body.length), body);
    const integer = (bytes: Uint8Array) => concatBytes(Uint8Array.of(0x02, bytes.length), bytes);
    const zero = Uint8Array.of(0);
    fc.assert(
      fc.property(fc.json(), (payload) => {
        const envelope = signEnvelope(payload, key);
        const good = fromHex(String(envelope.signature));
        const numbers = parseDerSignature(good) as Uint8Array;
        const [r, s] = [numbers.subarray(0, 32), numbers.subarray(32)];
        const signed = (bytes: Uint8Array) => ((bytes[0] as number) < 0x80 ? bytes : concatBytes(zero, bytes));
        const forms = [
          // negative if the first bit is set, otherwise with unnecessary zeros
          (r[0] as number) < 0x80
            ? header(concatBytes(integer(concatBytes(zero, r)), integer(signed(s))))
            : header(concatBytes(integer(r), integer(signed(s)))),
          header(concatBytes(integer(signed(r)), integer(concatBytes(zero, s)))),
          concatBytes(good, zero),
          concatBytes(header(good.subarray(2)), Uint8Array.of(0x41)),
          header(concatBytes(good.subarray(2), zero)),
          concatBytes(Uint8Array.of(0x30, 0x81), good.subarray(1)),
        ];
        for (const form of forms) {
          expect(verifyEnvelope({ ...envelope, signature: toHex(form) }), toHex(form)).toBe('invalid');
        }
      }),
      { numRuns: 20 },
    );
  });

  it('hashes the payload once', () => {
    // the same text signed by another implementation, over one SHA-256 of its UTF-8 bytes
    const fixed = key.sign('{"minerId":"ü"}', 'utf8').toDER('hex') as string;
    expect(verifyEnvelope({ ...signed, signature: fixed })).toBe('valid');
    const twice = key.sign(Array.from(sha256(new TextEncoder().encode('{"minerId":"ü"}')))).toDER('hex') as string;
    expect(verifyEnvelope({ ...signed, signature: twice })).toBe('invalid');
  });

  it('accepts a high s, which the compiled verifier alone would reject', () => {
    const { r, s } = Signature.fromDER(Array.from(fromHex(String(signed.signature))));
    const order = new BigNumber('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 16);
    const high = new Signature(r, order.sub(s)).toDER('hex') as string;
    expect(verifyEnvelope({ ...signed, signature: high })).toBe('valid');
    expect(verifyEnvelope({ ...signed, payload: '{}', signature: high })).toBe('invalid');
    for (const beyond of [order, order.addn(1), new BigNumber(0)]) {
      const signature = new Signature(r, beyond).toDER('hex') as string;
      expect(verifyEnvelope({ ...signed, signature }), beyond.toString(16)).toBe('invalid');
    }
  });

  it('hashes the decoded bytes if the encoding is base64', () => {
    const image = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 255);
    const signature = toHex(Uint8Array.from(key.sign(Array.from(image)).toDER() as number[]));
    const envelope = {
      payload: Buffer.from(image).toString('base64'),
      signature,
      publicKey,
      encoding: 'base64',
      mimetype: 'image/png',
    };
    expect(verifyEnvelope(envelope)).toBe('valid');
    expect(verifyEnvelope({ ...envelope, encoding: 'UTF-8' })).toBe('invalid');
  });

  it('returns invalid if any part is changed, missing or unreadable', () => {
    const changed: Partial<Record<keyof JsonEnvelope, unknown>>[] = [
      { payload: '{"minerId":"u"}' },
      { payload: `${signed.payload} ` },
      { payload: undefined },
      { signature: other.signature },
      { signature: null },
      { signature: 'zz' },
      { signature: '' },
      { signature: signed.signature?.slice(0, -2) },
      { publicKey: other.publicKey },
      { publicKey: null },
      { publicKey: `05${publicKey.slice(2)}` },
      { publicKey: '' },
      { encoding: 'utf-16' },
      { encoding: undefined },
      { encoding: 'json' },
    ];
    expect(verifyEnvelope(signed)).toBe('valid');
    for (const part of changed)
      expect(verifyEnvelope({ ...signed, ...part } as JsonEnvelope), JSON.stringify(part)).toBe('invalid');
  });
});

describe('signerKeyOf', () => {
  it('is the same for every form of a key, and undefined for anything else', () => {
    const plain = key.toPublicKey().encode(false, 'hex') as string;
    expect([publicKey, publicKey.toUpperCase(), plain].map(signerKeyOf)).toEqual([publicKey, publicKey, publicKey]);
    expect(['', 'zz', '05'.padEnd(66, '1'), publicKey.slice(2)].map(signerKeyOf)).toEqual(Array(4).fill(undefined));
  });
});
