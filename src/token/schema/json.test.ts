import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeContract, parseSchema, TokenError } from '../index.ts';
import { hashOf } from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import { refusal } from '../test-support/refusal.ts';
import { schema } from '../test-support/world.ts';
import { contractScript } from './schema.ts';

const cyclic: Record<string, unknown> = { name: 'round' };
cyclic.self = { inner: [cyclic] };
const nested = (depth: number): unknown => (depth === 0 ? 1 : { inner: nested(depth - 1) });
const shared = [1];
class Custom {
  readonly value = 1;
}

describe('a schema refuses values that JSON drops, changes or fails on', () => {
  const cases: [string, unknown, string, Record<string, unknown>][] = [
    ['undefined', undefined, 'schema.own', {}],
    ['undefined in a list', [1, undefined], 'schema.own[1]', {}],
    ['a hole in a list', new Array(1), 'schema.own[0]', {}],
    ['NaN', { deep: Number.NaN }, 'schema.own.deep', { given: Number.NaN }],
    ['infinity', [[Number.NEGATIVE_INFINITY]], 'schema.own[0][0]', { given: Number.NEGATIVE_INFINITY }],
    ['-0', -0, 'schema.own', { given: -0 }],
    ['a function', () => 1, 'schema.own', {}],
    ['a symbol', Symbol('s'), 'schema.own', {}],
    ['a BigInt', { big: 5n }, 'schema.own.big', {}],
    ['a date', new Date(0), 'schema.own', {}],
    ['a map', new Map([[1, 2]]), 'schema.own', {}],
    ['bytes', new Uint8Array(2), 'schema.own', {}],
    ['an object of a class', new Custom(), 'schema.own', {}],
    ['a symbol as a key', { [Symbol('s')]: 1 }, 'schema.own', {}],
    ['a hidden property', Object.defineProperty({}, 'x', { value: 1 }), 'schema.own', {}],
    ['a value of its own for JSON', { toJSON: () => 5 }, 'schema.own', {}],
    ['a prototype', JSON.parse('{"__proto__":{"a":1}}'), 'schema.own', {}],
    ['half a character', 'a\udc00', 'schema.own', { length: 2 }],
    ['itself', cyclic, 'schema.own.self.inner[0]', {}],
    ['too many levels', nested(70), `schema.own${'.inner'.repeat(63)}`, { most: 64 }],
    [
      'too many values',
      Array.from({ length: 400 }, () => Array.from({ length: 400 }, () => 1)),
      'schema',
      { most: 100_000 },
    ],
  ];
  it.each(cases)('%s', (_, own, field, numbers) => {
    expect(refusal(() => parseSchema({ ...schema, own }))).toEqual(['schema-invalid', field, numbers]);
  });

  it('in custom fields too', () => {
    expect(refusal(() => parseSchema({ ...schema, name: undefined }))).toEqual(['schema-invalid', 'schema.name', {}]);
    expect(refusal(() => parseSchema({ ...schema, decimals: -0 }))).toEqual([
      'schema-invalid',
      'schema.decimals',
      { given: -0 },
    ]);
  });

  it('but accepts repeated values, and objects without a prototype', () => {
    const own = { one: shared, two: shared, none: Object.assign(Object.create(null), { a: null }) };
    expect(parseSchema({ ...schema, own })).toEqual({ ...schema, own: { one: [1], two: [1], none: { a: null } } });
  });
});

it('a schema is accepted only if the contract contains the same one', () => {
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true, withSparseArray: true }),
      (own) => {
        let read: unknown;
        try {
          read = parseSchema({ ...schema, own });
        } catch (error) {
          expect(error).toBeInstanceOf(TokenError);
          return;
        }
        const back = decodeContract(contractScript(hashOf(keys.issuer), read as never))?.schema;
        expect(back).toStrictEqual(read);
        expect(JSON.parse(JSON.stringify(own))).toEqual((back as { own?: unknown }).own);
        // equal except for the sign of a number
        expect((back as { own?: unknown }).own).toEqual(own);
      },
    ),
    { numRuns: 500 },
  );
});
