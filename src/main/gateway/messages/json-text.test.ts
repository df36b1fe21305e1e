import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementsOf, membersOf } from './json-text.ts';

/** JSON text of a value with white space wherever JSON allows it. */
const spaced = (value: unknown): string => JSON.stringify(value, null, '\t ');

describe('membersOf', () => {
  it('splits any object into the texts of its members', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (object, loose) => {
        const members = membersOf(loose ? spaced(object) : JSON.stringify(object));
        const read = [...members].map(([name, text]) => [name, JSON.parse(text)] as const);
        expect(new Map(read)).toEqual(new Map(Object.entries(JSON.parse(JSON.stringify(object)) as object)));
      }),
    );
  });

  it('keeps digits and escapes unchanged', () => {
    const members = membersOf('{ "a" : 1.0 , "b":9007199254740993,"\\u0063":"\\u0041\\"]}" , "d":[{"x":"}"} ] }');
    expect([...members]).toEqual([
      ['a', '1.0'],
      ['b', '9007199254740993'],
      ['c', '"\\u0041\\"]}"'],
      ['d', '[{"x":"}"} ]'],
    ]);
  });

  it('uses the first of two members with the same name', () => {
    expect(membersOf('{"id":1,"id":2}').get('id')).toBe('1');
  });
});

describe('elementsOf', () => {
  it('splits any array into the texts of its elements', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.boolean(), (array, loose) => {
        const elements = elementsOf(loose ? spaced(array) : JSON.stringify(array));
        expect(elements.map((text) => JSON.parse(text) as unknown)).toEqual(JSON.parse(JSON.stringify(array)));
      }),
    );
  });
});
