import { expect, it } from 'vitest';
import { validFor } from './quote-validity.ts';

it.each([
  ['when it was read', 5_000, 600],
  ['on its way', 5_400, 200],
  ['at its end', 5_600, 0],
  ['after a jump of the clock ahead', 30 * 86_400_000, 0],
  ['once the clock was put back to before it was read', 4_999, 0],
])('a quote is valid for what is left of it %s', (_, now, left) =>
  expect(validFor({ at: 5_000, expiresAt: 5_600 }, now)).toBe(left),
);
