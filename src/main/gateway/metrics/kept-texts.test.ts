import fc from 'fast-check';
import { expect, it } from 'vitest';
import { copyOf, KeptTexts } from './kept-texts.ts';

const LIMITS = { calls: 5, characters: 12 };

it('the store of texts keeps the texts of the newest calls within both limits, whichever calls have one', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.string({ minLength: 1, maxLength: 6 })));
  fc.assert(
    fc.property(steps, (given) => {
      const kept = new KeptTexts(LIMITS);
      const all: [number, string][] = [];
      let number = 0;
      for (const [gap, text] of given) {
        number += gap;
        kept.add(number, text);
        all.push([number, text]);
        let room = LIMITS.characters;
        const expected = new Map(
          [...all].reverse().filter(([at, { length }]) => {
            room -= length;
            return at > number - LIMITS.calls && room >= 0;
          }),
        );
        for (let at = Math.max(0, number - 12); at <= number + 6; at++) expect(kept.get(at)).toBe(expected.get(at));
      }
    }),
  );
});

it('the store of texts keeps nothing after it was cleared, and what comes then', () => {
  const kept = new KeptTexts(LIMITS);
  kept.add(1, 'one');
  kept.add(2, 'two');
  kept.clear();
  expect([kept.get(1), kept.get(2)]).toEqual([undefined, undefined]);
  kept.add(3, 'three');
  expect([1, 2, 3, 4, 8].map((number) => kept.get(number))).toEqual([
    undefined,
    undefined,
    'three',
    undefined,
    undefined,
  ]);
});

it('the store of texts copies texts of any length and alphabet', () => {
  for (const text of ['', 'a', 'é漢🎨'.repeat(300), 'x'.repeat(10_000)]) expect(copyOf(text)).toBe(text);
});
