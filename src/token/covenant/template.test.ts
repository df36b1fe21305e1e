import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, leadingP2pkh, parseScript, pushData } from '../../chain/index.ts';
import { decodeContract, decodeToken, planchetTemplate, TOKEN_LIMITS, tokenSchema } from '../index.ts';
import { contractScript } from '../schema/schema.ts';
import { schema } from '../test-support/world.ts';
import { proofPieces, type TokenFields } from './template.ts';

const hash = fc.uint8Array({ minLength: 20, maxLength: 20 });
const fields: fc.Arbitrary<TokenFields> = fc.record(
  {
    owner: hash,
    redemption: hash,
    splittable: fc.boolean(),
    symbol: fc.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
    data: fc.uint8Array({ minLength: 1, maxLength: 300 }),
  },
  { requiredKeys: ['owner', 'redemption', 'splittable', 'symbol'], noNullPrototype: true },
);
const version = fc.constantFrom(1 as const, 2 as const);

describe('the token script', () => {
  it('round-trips through its fields', () => {
    fc.assert(
      fc.property(fields, version, (given, v) => {
        const script = planchetTemplate(v).lock(given);
        const decoded = decodeToken(script);
        expect(decoded).toEqual({ ...given, template: planchetTemplate(v) });
        expect(leadingP2pkh(script)).toEqual(given.owner);
      }),
      { numRuns: 200 },
    );
  });

  it('decodes to no token, or one with different fields, after any change', () => {
    fc.assert(
      fc.property(fields, version, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, v, at, bits) => {
        const script = planchetTemplate(v).lock(given);
        const place = at % script.length;
        const changed = script.map((byte, i) => (i === place ? byte ^ bits : byte));
        const decoded = decodeToken(changed);
        expect(decoded === undefined || planchetTemplate(v).lock(decoded).join() === changed.join()).toBe(true);
        // when truncated, at most it is a token without its data
        expect(decodeToken(script.subarray(0, place))?.data).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it('has a single encoding', () => {
    const given: TokenFields = {
      owner: new Uint8Array(20),
      redemption: new Uint8Array(20),
      splittable: true,
      symbol: 'A',
    };
    const script = planchetTemplate(2).lock(given);
    const withData = (push: Uint8Array) => decodeToken(concatBytes(script, push));
    expect(withData(pushData(Uint8Array.of(5)))?.data).toEqual(Uint8Array.of(5));
    expect(withData(Uint8Array.of(0x55))).toBeUndefined();
    expect(withData(Uint8Array.of(0x4c, 1, 5))).toBeUndefined();
    expect(withData(Uint8Array.of(0))).toBeUndefined();
    expect(withData(concatBytes(pushData(Uint8Array.of(5)), pushData(Uint8Array.of(6))))).toBeUndefined();
    expect(withData(Uint8Array.of(2, 1))).toBeUndefined();
    expect(withData(pushData(new Uint8Array(TOKEN_LIMITS.dataLength + 1)))).toBeUndefined();
  });

  it('contains no byte that could change later parts of a script', () => {
    const { chunks, ok } = parseScript(
      planchetTemplate(2).lock({
        owner: new Uint8Array(20),
        redemption: new Uint8Array(20),
        splittable: true,
        symbol: 'A',
      }),
    );
    expect(ok).toBe(true);
    // a code separator would exclude a part of the script from the preimage
    expect(chunks.some(({ op }) => op === 0xab)).toBe(false);
  });
});

describe('the parts of a previous transaction', () => {
  it('joined by the tail give the original transaction', () => {
    const tail = Uint8Array.of(9, 9, 8);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(7, 8, 9), { maxLength: 60 }), (bytes) => {
        const tx = Uint8Array.from(bytes);
        const pieces = proofPieces(tx, tail);
        expect(pieces.length).toBeLessThanOrEqual(5);
        expect(pieces.slice(1).every(({ length }) => length > 0)).toBe(true);
        expect(concatBytes(...pieces.flatMap((piece, i) => (i === 0 ? [piece] : [tail, piece])))).toEqual(tx);
      }),
    );
  });
});

describe('the contract script', () => {
  it('round-trips through its fields, including unknown keys', () => {
    const given = tokenSchema.parse({
      ...schema,
      protocolId: 'x',
      properties: { issuer: { organisation: 'Ö', vat: 7 } },
    });
    const issuer = new Uint8Array(20).fill(3);
    expect(decodeContract(contractScript(issuer, given))).toEqual({ issuer, schema: given });
  });

  it('is the only script that decodes as a contract', () => {
    const issuer = new Uint8Array(20).fill(3);
    const script = contractScript(issuer, schema);
    const spaced = new TextEncoder().encode(JSON.stringify(schema) + ' '.repeat(1_048_576));
    const head = script.slice(0, 26);
    expect(decodeContract(concatBytes(head, pushData(spaced.subarray(0, 1_048_576))))?.issuer).toEqual(issuer);
    expect(decodeContract(concatBytes(head, pushData(spaced.subarray(0, 1_048_577))))).toBeUndefined();
    expect(decodeContract(script.slice(0, 25))).toBeUndefined();
    expect(decodeContract(script.slice(0, -1))).toBeUndefined();
    expect(decodeContract(concatBytes(script, pushData(Uint8Array.of(1))))).toBeUndefined();
    expect(
      decodeContract(concatBytes(script.slice(0, 26), pushData(new TextEncoder().encode('{"symbol":"A"}')))),
    ).toBeUndefined();
    expect(decodeContract(concatBytes(script.slice(0, 26), pushData(Uint8Array.of(0xff, 0xfe))))).toBeUndefined();
    expect(decodeContract(concatBytes(Uint8Array.of(0x61), script))).toBeUndefined();
  });
});
