import { describe, expect, it } from 'vitest';
import {
  ForeignJson,
  foreignBounds,
  OutOfBounds,
  parseForeign,
  readForeign,
  readForeignValue,
} from './foreign-json.ts';
import { heldBy } from './test-support/held.ts';

type Bounds = (typeof foreignBounds)[keyof typeof foreignBounds];

const BOUNDS = { bytes: 1_000, depth: 3, values: 10 };

/** A body in pieces, and how many of them were taken. */
function body(...texts: (string | Uint8Array)[]) {
  const taken = { pieces: 0, left: false };
  async function* pieces() {
    try {
      for (const text of texts) {
        taken.pieces += 1;
        yield Buffer.from(text as string);
      }
    } finally {
      taken.left = true;
    }
  }
  return { taken, pieces: pieces() };
}

describe('a body of others', () => {
  it('is read up to each of its bounds, and no further', async () => {
    const fits = ['"é"', '[1,2,3,4,5,6,7,8,9]', '[[[]]]', `"${'a'.repeat(998)}"`];
    for (const text of fits) {
      expect(await readForeign(body(text).pieces, BOUNDS)).toBe(text);
      expect(await readForeignValue(body(text).pieces, BOUNDS)).toEqual(JSON.parse(text));
      expect(parseForeign(text, BOUNDS)).toEqual(JSON.parse(text));
    }
    const passing = [
      ['values', '[1,2,3,4,5,6,7,8,9,0]'],
      ['depth', '[[[['],
      ['bytes', `"${'a'.repeat(999)}"`],
      ['bytes', 'a'.repeat(1_001)],
    ] as const;
    for (const [bound, text] of passing) {
      const { pieces, taken } = body(text, ' ', ' ');
      await expect(readForeign(pieces, BOUNDS)).rejects.toMatchObject({ bound });
      expect(taken).toEqual({ pieces: 1, left: true });
      expect(parseForeign(text, BOUNDS)).toBeUndefined();
    }
  });

  it('that is no JSON is told when it is parsed, and comes back as it was', async () => {
    for (const text of ['', '{', '<html>é</html>', '[1,', 'nul', '[1]]']) {
      expect(await readForeign(body(text).pieces, BOUNDS)).toBe(text);
      expect(await readForeignValue(body(text).pieces, BOUNDS)).toBeUndefined();
      expect(parseForeign(text, BOUNDS)).toBeUndefined();
    }
  });

  it('is one text wherever it is cut', async () => {
    const text = '{"a":"é😀","b":[1.5e3,null,"\\u00e9"]}';
    const bytes = Buffer.from(text);
    for (let at = 0; at <= bytes.length; at++) {
      const read = new ForeignJson(BOUNDS);
      read.push(bytes.subarray(0, at));
      read.push(bytes.subarray(at));
      expect(await read.value()).toEqual(JSON.parse(text));
    }
  });

  // Outside the long run those that are within another kind by each of their bounds are left out: one reader takes all of them.
  const all = Object.entries(foreignBounds);
  const sums = (one: Bounds): number => one.bytes + one.depth + one.values;
  const within = (one: Bounds, other: Bounds): boolean =>
    one.bytes <= other.bytes && one.depth <= other.depth && one.values <= other.values && sums(one) < sums(other);
  const widest = all.filter(([, bounds]) => !all.some(([, other]) => within(bounds, other)));
  const kinds = process.env.PLANCHET_LONG === undefined ? widest : all;
  it.each(kinds)(
    'of the kind %s takes less than 250 ms of the thread at once and 64 MB when it is as full as it may be',
    async (_, bounds) => {
      const keys = (many: number) => `{${Array.from({ length: many }, (_, n) => `"k${n}":{}`).join()}}`;
      const empty = (what: string) => `[${`${what},`.repeat(bounds.values - 2)}0]`;
      const texts = [
        keys(bounds.values - 1),
        empty('[]'),
        empty('{}'),
        '['.repeat(bounds.bytes),
        `"${'a'.repeat(bounds.bytes - 2)}"`,
      ];
      const bodies = texts.map((text) => Buffer.from(text).subarray(0, bounds.bytes));
      for (const bytes of bodies) {
        const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, n) =>
          bytes.subarray(n * 65_536, (n + 1) * 65_536),
        );
        const held = await heldBy(
          () =>
            readForeignValue(body(...pieces).pieces, bounds).catch((error: unknown) =>
              expect(error).toBeInstanceOf(OutOfBounds),
            ),
          { milliseconds: 249, bytes: 64 * 1_048_576 - 1 },
          10,
        );
        expect(held.milliseconds).toBeLessThan(250);
        expect(held.bytes).toBeLessThan(64 * 1_048_576);
      }
    },
  );
});
