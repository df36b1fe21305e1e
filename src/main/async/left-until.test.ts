import { expect, it } from 'vitest';
import { isOver, leftUntil } from './left-until.ts';

it.each([
  ['before it begins', 5_000, 4_000, 1_000, 1_000],
  ['on its way', 5_000, 4_400, 1_000, 600],
  ['at its end', 5_000, 5_000, 1_000, 0],
  ['long after', 5_000, 900_000, 1_000, 0],
  ['once the clock was put back', 5_000, 3_999, 1_000, 0],
])('leftUntil returns what is left of a wait %s', (_, until, now, most, left) =>
  expect(leftUntil(until, now, most)).toBe(left),
);

it.each([
  ['before it ends', 4_000, 4_999, false],
  ['at its end', 4_000, 5_000, true],
  ['where it never began', Number.NEGATIVE_INFINITY, 0, true],
  ['once the clock was put back', 4_000, 3_999, true],
])('isOver returns whether a wait is over %s', (_, since, now, over) => expect(isOver(1_000, since, now)).toBe(over));
