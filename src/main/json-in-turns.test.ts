import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './json-in-turns.ts';
import { HALF, longestShare } from './test-support/longest-turn.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
/** So much space before a text that it is read value by value. */
const LARGE = ' '.repeat(140_000);

function native(text: string): unknown {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return 'no JSON';
  }
}

async function own(text: string): Promise<unknown> {
  try {
    return { value: await parseJson(encode(text)) };
  } catch (error) {
    if (error instanceof SyntaxError) return 'no JSON';
    throw error;
  }
}

describe('parseJson', () => {
  it('parses what JSON.parse parses', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 6 }), fc.nat(4), async (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent);
        expect(await own(LARGE + spaced)).toStrictEqual(native(spaced));
      }),
      { numRuns: 300 },
    );
  });

  it('refuses what JSON.parse refuses', async () => {
    const cut = fc.tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', ',', '"', '\\', ']', '}', ':', '\n', '-', '1', 'e', '\u0001', 'é'),
    );
    await fc.assert(
      fc.asyncProperty(cut, async ([text, at, inserted]) => {
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + inserted + text.slice(place + (inserted === '' ? 1 : 0));
        // halves of a pair of surrogates cannot be sent
        fc.pre(changed.isWellFormed());
        expect(await own(LARGE + changed)).toStrictEqual(native(changed));
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads long strings as JSON.parse does, wherever their characters and escapes are split', async () => {
    const unit = fc.constantFrom(
      'a',
      '\\n',
      '\\\\',
      '\\"',
      '\\u00e9',
      '\\ud83d\\ude00',
      'é',
      '€',
      '😀',
      '\\',
      '"',
      '\u0001',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { maxLength: 12 }), fc.nat(12), async (units, before) => {
        // a slice ends 65,536 bytes after the quote
        const tail = units.join('');
        const text = `["${'x'.repeat(65_530 - before)}${tail}${'y'.repeat(80_000)}","${tail}",1]`;
        expect(await own(text)).toStrictEqual(native(text));
      }),
      { numRuns: 150 },
    );
  });

  it('parses __proto__ as an ordinary member', async () => {
    for (const before of ['', LARGE]) {
      const value = (await parseJson(encode(`${before}{"__proto__":{"x":1},"a":1,"a":2}`))) as { x?: number };
      expect([Object.keys(value), value.x]).toEqual([['__proto__', 'a'], undefined]);
      expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"a":2}');
    }
  });

  it('limits the nesting depth, and refuses invalid UTF-8', async () => {
    for (const before of ['', LARGE]) {
      const nested = (levels: number) => encode(`${before}${'['.repeat(levels)}${']'.repeat(levels)}`);
      await expect(parseJson(nested(512), { levels: 512 })).resolves.toBeInstanceOf(Array);
      await expect(parseJson(nested(513), { levels: 512 })).rejects.toThrow(SyntaxError);
      await expect(parseJson(Uint8Array.of(...encode(`${before.slice(0, 4)}"`), 0xff, 0x22))).rejects.toThrow(
        SyntaxError,
      );
    }
    await expect(parseJson(encode(`${'['.repeat(1_000_000)}`), { levels: 512 })).rejects.toThrow(SyntaxError);
  });

  it('limits the number of values of a large body', async () => {
    const list = (values: number) => encode(`${LARGE}[${'{},'.repeat(values - 2)}{}]`);
    await expect(parseJson(list(50_000), { values: 50_000 })).resolves.toHaveLength(49_999);
    await expect(parseJson(list(50_001), { values: 50_000 })).rejects.toThrow(SyntaxError);
  });

  it('limits the names of one object of a large body, and the length of its numbers', async () => {
    const names = (count: number) =>
      encode(`${LARGE}{${Array.from({ length: count }, (_, n) => `"${n}":{"a":0}`).join()}}`);
    await expect(parseJson(names(1_000), { names: 1_000 })).resolves.toHaveProperty('999');
    await expect(parseJson(names(1_001), { names: 1_000 })).rejects.toThrow('too many names');
    await expect(parseJson(encode(`${LARGE}${'7'.repeat(10_000)}`))).resolves.toBe(Number.POSITIVE_INFINITY);
    await expect(parseJson(encode(`${LARGE}${'7'.repeat(10_001)}`))).rejects.toThrow('a number is too long');
  });

  it('never blocks the event loop, whatever a large body contains', async () => {
    const bodies = [
      `[${'1,'.repeat(4_000_000)}1]`,
      `[${'{"a":[]},'.repeat(1_000_000)}{}]`,
      `["${'ab'.repeat(8_000_000)}"]`,
      `{"${'\\"é'.repeat(1_000_000)}":"${'\\u0061'.repeat(500_000)}"}`,
      `[${`{"rawTx":"${'ab'.repeat(200)}"},`.repeat(20_000)}{}]`,
    ].map(encode);
    for (const body of bodies) {
      expect(await longestShare(() => parseJson(body))).toBeLessThan(HALF);
    }
  });
});
