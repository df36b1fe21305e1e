import { expect, it } from 'vitest';
import { leftUntil } from './left-until.ts';

it.each([
  ['before it begins', 5_000, 4_000, 1_000, 1_000],
  ['on its way', 5_000, 4_400, 1_000, 600],
  ['at its end', 5_000, 5_000, 1_000, 0],
  ['long after', 5_000, 900_000, 1_000, 0],
  ['once the clock was put back', 5_000, 3_999, 1_000, 0],
])('tells what is left of a wait %s', (_, until, now, most, left) => expect(leftUntil(until, now, most)).toBe(left));
