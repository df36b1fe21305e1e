import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonBounds, type JsonFault, JsonScan } from './json-scan.ts';

/** @param cuts where the text is cut in pieces */
function scan(text: string | Buffer, bounds: JsonBounds = {}, cuts: readonly number[] = []): JsonFault | undefined {
  const bytes = Buffer.from(text as string);
  const reader = new JsonScan(bounds);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let at = 0;
  for (const end of [...ends, bytes.length]) {
    reader.push(bytes.subarray(at, end));
    at = end;
  }
  return reader.end();
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const cuts = fc.array(fc.nat(), { maxLength: 20 });
const spaced = fc
  .tuple(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), fc.constantFrom(undefined, 1, '\t', '\n '))
  .map(([value, space]) => JSON.stringify(value, undefined, space));
/** Texts of the bytes that mean something, mostly no JSON. */
const soup = fc
  .array(fc.constantFrom(...'{}[],:" \\ubnt-+.eE019', 'true', 'false', 'null', '\\u00e4', 'ä', '\n', '\u0001'), {
    maxLength: 14,
  })
  .map((parts) => parts.join(''));

describe('a scan of JSON', () => {
  it('takes what JSON.parse takes, in pieces of any length', () => {
    fc.assert(
      fc.property(spaced, cuts, (text, where) => {
        expect(scan(text, {}, where)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('refuses what JSON.parse refuses', () => {
    fc.assert(
      fc.property(soup, cuts, (text, where) => {
        expect(scan(text, {}, where) === undefined).toBe(isJson(text));
      }),
      { numRuns: 20_000 },
    );
  });

  it('judges a text with a few bytes changed as JSON.parse does', () => {
    const change = fc.record({ at: fc.nat(), to: fc.constantFrom(...'{}[],:"\\u0-.eE \n\u0000') });
    fc.assert(
      fc.property(spaced, fc.array(change, { minLength: 1, maxLength: 3 }), cuts, (text, changes, where) => {
        const characters = [...text];
        for (const { at, to } of changes) characters[at % characters.length] = to;
        const changed = characters.join('');
        // what is half a pair is another character once it is bytes
        fc.pre(changed.isWellFormed());
        expect(scan(changed, {}, where) === undefined).toBe(isJson(changed));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each<[JsonFault, JsonBounds, string, string]>([
    ['depth', { depth: 3 }, '[{"a":[1]}]', '[{"a":[[]]}]'],
    ['values', { values: 4 }, '{"a":1,"b":[2]}', '{"a":1,"b":[2,3]}'],
    ['elements', { elements: 2 }, '[1,[2,3,4]]', '[1,2,3]'],
    ['members', { members: 2 }, '[{"a":{"a":1,"b":[1,2,3]},"b":{}},{"a":1}]', '[{"a":{"a":1},"b":[1],"c":1}]'],
    ['nameBytes', { nameBytes: 3 }, '{"abc":"abcd"}', '{"abcd":1}'],
    ['numberBytes', { numberBytes: 4 }, '[-1.5]', '[-1.55]'],
    ['escapes', { escapes: 2 }, '["\\n","\\u0041"]', '["\\n","\\n\\n"]'],
    ['spaceBytes', { spaceBytes: 2 }, '[ "   " ]', '[  1 ]'],
  ])('keeps the bound %s', (fault, bounds, within, beyond) => {
    expect(scan(within, bounds)).toBeUndefined();
    expect(scan(beyond, bounds)).toBe(fault);
    expect(
      scan(
        beyond,
        bounds,
        [...beyond].map((_, at) => at),
      ),
    ).toBe(fault);
  });

  it('stops at the fault', () => {
    const reader = new JsonScan({ values: 10 });
    const piece = Buffer.from(`${'0,'.repeat(100_000)}`);
    expect(reader.push(Buffer.from('['))).toBeUndefined();
    expect(reader.push(piece)).toBe('values');
    expect(reader.push(piece)).toBe('values');
    expect(reader.end()).toBe('values');
  });

  it('reads a long string as a short one, whatever stands where in it', () => {
    const text = Buffer.from(`["${'a'.repeat(90)}"]`);
    for (const offset of [0, 1, 2, 3]) {
      const bytes = Buffer.alloc(text.length + offset).subarray(offset);
      for (let at = 62; at < 92; at++) {
        for (let byte = 0; byte < 256; byte++) {
          text.copy(bytes);
          bytes[at] = byte;
          const reader = new JsonScan();
          reader.push(bytes);
          const isMark = byte < 0x20 || byte === 0x22 || byte === 0x5c;
          // a backslash before the last quotation mark leaves the string open
          expect([reader.end(), reader.ascii], `${byte} at ${at}`).toEqual([
            isMark ? 'syntax' : undefined,
            byte < 0x80,
          ]);
        }
      }
    }
  });

  it('tells ASCII from other text', () => {
    for (const [text, ascii] of [
      ['{"a":"b\\u00e4"}', true],
      ['{"a":"ä"}', false],
      ['{"ä":1}', false],
    ] as const) {
      const reader = new JsonScan();
      reader.push(Buffer.from(text));
      expect([reader.end(), reader.ascii]).toEqual([undefined, ascii]);
    }
  });
});
