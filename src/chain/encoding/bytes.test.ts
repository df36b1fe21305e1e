import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  addSatoshis,
  ByteReader,
  ByteWriter,
  concatBytes,
  displayToHash,
  equalBytes,
  formatOutpoint,
  fromHex,
  hash160,
  hashToDisplay,
  MAX_SATOSHIS,
  ONE_SATOSHI,
  parseOutpoint,
  reverseHex,
  satoshis,
  sha256,
  sha256d,
  toHex,
} from '../index.ts';
import { hashHex, u32 } from '../test-support/fixtures.ts';

const text = (value: string) => new TextEncoder().encode(value);
const code = (wanted: string) => expect.objectContaining({ name: 'ChainError', code: wanted });

describe('amounts', () => {
  it('are whole numbers from zero to the maximum supply', () => {
    expect(satoshis(MAX_SATOSHIS)).toBe(2_100_000_000_000_000);
    expect(Object.is(satoshis(-0), 0)).toBe(true);
    for (const wrong of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, MAX_SATOSHIS + 1, '5' as unknown as number]) {
      expect(() => satoshis(wrong)).toThrow(code('amount-invalid'));
    }
  });

  it('add up, but never beyond the maximum supply', () => {
    expect(addSatoshis()).toBe(0);
    expect(addSatoshis(ONE_SATOSHI, satoshis(2))).toBe(3);
    expect(() => addSatoshis(satoshis(MAX_SATOSHIS), ONE_SATOSHI)).toThrow(code('amount-invalid'));
  });
});

describe('hex', () => {
  it('round-trips, and accepts upper and lower case', () => {
    fc.assert(fc.property(fc.uint8Array(), (data) => equalBytes(fromHex(toHex(data)), data)));
    expect(fromHex('00fFAb'.repeat(1_000))).toStrictEqual(
      Uint8Array.from({ length: 3_000 }, (_, i) => [0, 255, 171][i % 3] as number),
    );
    expect(fromHex('00fFAb')).toStrictEqual(Uint8Array.of(0, 255, 171));
  });

  it('of odd length or with any other character is refused', () => {
    // the lowest eight bits of U+0130 are those of the digit 0
    for (const wrong of ['0', 'zz', '0x00', '00 11', '00\n', 'é0', '\u01300'])
      for (const before of ['', 'ab'.repeat(1_000)])
        for (const after of ['', 'cd'.repeat(1_000)])
          expect(() => fromHex(before + wrong + after)).toThrow(code('hex-invalid'));
  });

  it('reverses hashes', () => {
    fc.assert(
      fc.property(
        hashHex,
        (hash) => hashToDisplay(displayToHash(hash)) === hash && reverseHex(reverseHex(hash)) === hash,
      ),
    );
    expect(reverseHex('0102ff')).toBe('ff0201');
    expect(() => displayToHash('00')).toThrow(code('hex-invalid'));
    expect(displayToHash('0F'.repeat(32))).toStrictEqual(new Uint8Array(32).fill(15));
    // the last character is a letter whose lowest byte equals that of a digit
    for (const wrong of ['g', ' ', '\n', 'é', '\u0130']) {
      for (const at of [0, 31, 63]) {
        const hex = `${'0'.repeat(at)}${wrong}${'0'.repeat(63 - at)}`;
        expect(() => displayToHash(hex)).toThrow(code('hex-invalid'));
      }
    }
  });
});

describe('hashes', () => {
  it('are equal with and without Node', async () => {
    vi.stubGlobal('process', undefined);
    vi.stubGlobal('Buffer', undefined);
    vi.resetModules();
    const portable = await import('./bytes.ts').finally(() => vi.unstubAllGlobals());
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), hashHex, (data, hash) => {
        expect(portable.sha256(data)).toStrictEqual(sha256(data));
        expect(portable.sha256d(data)).toStrictEqual(sha256d(data));
        expect(portable.hash160(data)).toStrictEqual(hash160(data));
        expect(portable.displayToHash(hash)).toStrictEqual(displayToHash(hash));
        expect(portable.hashToDisplay(displayToHash(hash))).toBe(hash);
      }),
    );
  });

  it('match published digests', () => {
    expect(toHex(sha256(text('abc')))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(toHex(sha256d(text('hello')))).toBe('9595c9df90075148eb06860365df33584b75bff782a510c6cd4883a419833d50');
    expect(toHex(hash160(text('hello')))).toBe('b6a9c8c230722b7c748331a8b450f05566dc7d0f');
  });

  it('are plain Uint8Arrays for any input type', () => {
    expect(sha256(Buffer.from('abc')).constructor).toBe(Uint8Array);
    expect(concatBytes(Buffer.from('a'), text('b'))).toStrictEqual(text('ab'));
    expect(equalBytes(text('ab'), text('abc'))).toBe(false);
  });
});

describe('outpoints', () => {
  it('round-trip through text', () => {
    fc.assert(
      fc.property(hashHex, u32, (txid, vout) => {
        expect(parseOutpoint(formatOutpoint({ txid, vout }))).toStrictEqual({ txid, vout });
      }),
    );
  });

  it('are parsed strictly', () => {
    const txid = 'ab'.repeat(32);
    for (const wrong of [
      '',
      txid,
      `${txid}_`,
      `${txid}_01`,
      `${txid}_-1`,
      `${txid}_4294967296`,
      `${txid}:0`,
      `${txid.toUpperCase()}_0`,
      `${txid}_0 `,
    ]) {
      expect(() => parseOutpoint(wrong)).toThrow(code('outpoint-invalid'));
    }
  });
});

describe('the reader and the writer', () => {
  it('agree on every kind of number', () => {
    fc.assert(
      fc.property(u32, fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), fc.uint8Array(), (small, large, data) => {
        const writer = new ByteWriter(1);
        writer.u8(small & 0xff);
        writer.u16le(small & 0xffff);
        writer.u32le(small);
        writer.i32le(small | 0);
        writer.u64le(large);
        writer.varint(large);
        writer.varint(small);
        writer.varBytes(data);
        const reader = new ByteReader(writer.done());
        const read = [
          reader.u8(),
          reader.u16le(),
          reader.u32le(),
          reader.i32le(),
          reader.u64le(),
          reader.varint(),
          reader.varint(),
        ];
        expect(read).toStrictEqual([small & 0xff, small & 0xffff, small, small | 0, large, large, small]);
        expect(reader.varBytes()).toStrictEqual(data);
        reader.end();
      }),
    );
  });

  it('refuse a length that is not in its shortest form, like the node', () => {
    for (const long of ['fdfc00', 'feffff0000', 'ffffffffff00000000']) {
      expect(() => new ByteReader(fromHex(long)).varint()).toThrow(code('bytes-malformed'));
    }
    expect(
      ['fc', 'fdfd00', 'fe00000100', 'ff0000000001000000'].map((hex) => new ByteReader(fromHex(hex)).varint()),
    ).toStrictEqual([0xfc, 0xfd, 0x1_0000, 0x1_0000_0000]);
  });

  it('refuse inexact numbers, overruns and trailing bytes', () => {
    expect(() => new ByteReader(fromHex('0000000000002000')).u64le()).toThrow(code('bytes-malformed'));
    expect(new ByteReader(fromHex('ffffffffffff1f00')).u64le()).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => new ByteReader(fromHex('0000')).u32le()).toThrow(code('bytes-malformed'));
    expect(() => new ByteReader(fromHex('feffffffff')).varBytes()).toThrow(code('bytes-malformed'));
    expect(() => new ByteReader(fromHex('00'), 'tx-malformed').end()).toThrow(code('tx-malformed'));
    expect(() => new ByteWriter().u64le(-1)).toThrow(code('bytes-malformed'));
    expect(() => new ByteWriter().u64le(2 ** 53)).toThrow(code('bytes-malformed'));
  });

  it('return copies, so that receive buffers can be reused', () => {
    const source = Buffer.from([1, 2, 3]);
    const part = new ByteReader(source).bytes(2);
    source.fill(9);
    expect(part).toStrictEqual(Uint8Array.of(1, 2));
  });

  it('respect the offset of a view in its buffer', () => {
    const memory = Uint8Array.of(9, 9, 1, 0, 0, 0, 9);
    const reader = new ByteReader(memory.subarray(2, 6));
    expect(reader.u32le()).toBe(1);
    expect(() => reader.u8()).toThrow(code('bytes-malformed'));
  });
});
