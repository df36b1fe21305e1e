import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  concatBytes,
  dataScript,
  fromHex,
  type Inscription,
  inscriptionScript,
  isDataOutput,
  p2pkhScript,
  parseInscription,
  parseScript,
  pushData,
  toAsm,
  toHex,
} from '../index.ts';
import { key, keyHash } from '../test-support/fixtures.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const pubKeyHash = keyHash(key);
const sample: Inscription = {
  pubKeyHash,
  contentType: 'text/plain;charset=utf-8',
  content: utf8('hello'),
  map: {
    subTypeData: '{ "description": "spaces kept" }',
    name: 'Moon',
    type: 'ord',
    app: 'TAAL Token Studio',
    info: 'b',
    eyes: 'a',
    subType: 'single',
    description: 'd',
  },
};

const text = fc.string({ unit: 'binary', maxLength: 40 });
const anyInscription: fc.Arbitrary<Inscription> = fc.record(
  {
    pubKeyHash: fc.uint8Array({ minLength: 20, maxLength: 20 }),
    contentType: text,
    content: fc.oneof(
      fc.uint8Array({ maxLength: 600 }),
      fc.constantFrom(75, 76, 255, 256, 65535, 65536).map((n) => new Uint8Array(n)),
    ),
    map: fc.dictionary(text, text, { maxKeys: 6, noNullPrototype: true }),
  },
  { noNullPrototype: true },
);

describe('inscriptionScript', () => {
  it('orders owner, envelope and metadata like published mints', () => {
    const script = inscriptionScript(sample);
    expect(toHex(script).startsWith(`76a914${toHex(pubKeyHash)}88ac0063036f726451`)).toBe(true);
    const { chunks, ok } = parseScript(script);
    expect(ok).toBe(true);
    const shown = chunks
      .slice(5)
      .map(({ op, data }) => (data && data.length > 0 ? new TextDecoder().decode(data) : op));
    expect(shown).toStrictEqual([
      0x00,
      0x63,
      'ord',
      0x51,
      'text/plain;charset=utf-8',
      0x00,
      'hello',
      0x68,
      0x6a,
      '1PuQa7K62MiKCtssSLKy1kh56WWU7MtUR5',
      'SET',
      ...['app', 'TAAL Token Studio', 'eyes', 'a', 'info', 'b', 'name', 'Moon', 'type', 'ord', 'subType', 'single'],
      ...['description', 'd', 'subTypeData', '{ "description": "spaces kept" }'],
    ]);
  });

  it('has the same text form as in a node', () => {
    const asm = toAsm(inscriptionScript({ ...sample, map: { a: 'b' } }));
    expect(asm).toBe(
      `OP_DUP OP_HASH160 ${toHex(pubKeyHash)} OP_EQUALVERIFY OP_CHECKSIG 0 OP_IF 6582895 1 ${toHex(utf8(sample.contentType))} 0 ` +
        `68656c6c6f OP_ENDIF OP_RETURN ${toHex(utf8('1PuQa7K62MiKCtssSLKy1kh56WWU7MtUR5'))} 5522771 97 98`,
    );
  });

  it('orders keys by the length of their UTF-8 form, then by its bytes, regardless of their input order', () => {
    const keys = ['b', 'é', 'zz', 'aaa', '€', '10', '9', 'Z'];
    const map = (order: string[]) => Object.fromEntries(order.map((name) => [name, name]));
    const script = inscriptionScript({ ...sample, map: map(keys) });
    expect(inscriptionScript({ ...sample, map: map(keys.toReversed()) })).toStrictEqual(script);
    const { chunks } = parseScript(script);
    const written = chunks.slice(-keys.length * 2).filter((_, i) => i % 2 === 0);
    expect(written.map(({ data }) => new TextDecoder().decode(data))).toStrictEqual([
      '9',
      'Z',
      'b',
      '10',
      'zz',
      'é',
      'aaa',
      '€',
    ]);
  });

  it('refuses text without a UTF-8 form and a key hash of the wrong length', () => {
    const invalid = expect.objectContaining({ code: 'inscription-invalid' });
    expect(() => inscriptionScript({ ...sample, contentType: '\ud800' })).toThrow(invalid);
    expect(() => inscriptionScript({ ...sample, map: { '\udc00': '' } })).toThrow(invalid);
    expect(() => inscriptionScript({ ...sample, map: { a: 'x\ud800' } })).toThrow(invalid);
    expect(() => inscriptionScript({ ...sample, pubKeyHash: new Uint8Array(5) })).toThrow(
      expect.objectContaining({ code: 'address-invalid' }),
    );
  });
});

describe('parseInscription', () => {
  it('returns what was inscribed', () => {
    fc.assert(
      fc.property(anyInscription, (inscription) => {
        expect(parseInscription(inscriptionScript(inscription))).toStrictEqual(inscription);
      }),
    );
    const empty = { ...sample, content: new Uint8Array(0), contentType: '', map: {} };
    expect(parseInscription(inscriptionScript(empty))).toStrictEqual(empty);
    const odd = { ...sample, contentType: '\ufefftext', map: Object.fromEntries([['__proto__', 'x']]) };
    expect(parseInscription(inscriptionScript(odd))).toStrictEqual(odd);
  });

  const head = inscriptionScript({ ...sample, map: {} });
  const mapOf = (...pushes: Uint8Array[]) => concatBytes(head, ...pushes);
  const pair = (name: string, value: string) => concatBytes(pushData(utf8(name)), pushData(utf8(value)));

  it('accepts metadata keys in any order', () => {
    expect(parseInscription(mapOf(pair('name', '1'), pair('app', '2')))?.map).toStrictEqual({ name: '1', app: '2' });
  });

  it('refuses duplicate keys, a key without value, invalid UTF-8 and non-minimal pushes', () => {
    for (const tail of [
      concatBytes(pair('a', '1'), pair('a', '2')),
      pushData(utf8('a')),
      concatBytes(pushData(utf8('a')), pushData(Uint8Array.of(0xff))),
      fromHex('4c01610162'),
      concatBytes(pair('a', '1'), fromHex('7c')),
      fromHex('016151'),
      fromHex('61'),
      fromHex('4cff'),
    ]) {
      expect(parseInscription(mapOf(tail))).toBeUndefined();
    }
  });

  it('after any byte is changed or removed, accepts only what the writer would have written', () => {
    const script = inscriptionScript({ ...sample, map: { app: 'a', name: 'b' } });
    for (let at = 0; at < script.length; at++) {
      const cut = parseInscription(script.subarray(0, at));
      // complete pairs may be missing at the end, nothing else
      if (at < head.length) expect(cut).toBeUndefined();
      else if (cut) expect(inscriptionScript(cut)).toStrictEqual(script.slice(0, at));
      const changed = Uint8Array.from(script);
      changed[at] = (changed[at] as number) ^ 0x01;
      const read = parseInscription(changed);
      if (read) expect(inscriptionScript(read)).toStrictEqual(changed);
    }
    expect(parseInscription(p2pkhScript(pubKeyHash))).toBeUndefined();
    expect(parseInscription(dataScript([]))).toBeUndefined();
    expect(parseInscription(new Uint8Array(0))).toBeUndefined();
  });

  it('reads a Buffer, and returns the content as a view of it', () => {
    const buffer = Buffer.from(inscriptionScript(sample));
    const read = parseInscription(buffer);
    expect(read).toStrictEqual({ ...sample });
    expect(read?.content.buffer).toBe(buffer.buffer);
  });
});

describe('dataScript', () => {
  it('starts with OP_FALSE OP_RETURN, followed by the pushes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }), (pushes) => {
        const script = dataScript(pushes);
        expect(isDataOutput(script)).toBe(true);
        expect(parseScript(script.subarray(2)).chunks.map(({ data }) => data)).toStrictEqual(pushes);
      }),
    );
    expect(toHex(dataScript([utf8('text/plain'), utf8('hi')]))).toBe('006a0a746578742f706c61696e026869');
  });
});
