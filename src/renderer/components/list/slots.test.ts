import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assignSlots } from './slots.ts';

const windowOf = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `row ${first + n}`);

it('a row that stays visible keeps its slot, and no two rows share one', () => {
  const windows = fc.array(fc.tuple(fc.nat(40), fc.nat(20)), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(windows, (moves) => {
      let before = new Map<string, number>();
      for (const [first, count] of moves) {
        const ids = windowOf(first, count);
        const slots = assignSlots(before, ids);
        expect([...slots.keys()]).toEqual(ids);
        expect(new Set(slots.values()).size).toBe(count);
        for (const [id, slot] of before) if (slots.has(id)) expect(slots.get(id)).toBe(slot);
        before = slots;
      }
    }),
  );
});

it('slots of removed rows are reused before new ones are made', () => {
  const first = assignSlots(new Map(), windowOf(0, 10));
  expect([...first.values()]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect([...assignSlots(first, windowOf(500, 10)).values()]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect([...assignSlots(first, windowOf(3, 10)).values()]).toEqual([3, 4, 5, 6, 7, 8, 9, 0, 1, 2]);
  expect([...assignSlots(first, windowOf(3, 12)).values()]).toEqual([3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 10, 11]);
});
