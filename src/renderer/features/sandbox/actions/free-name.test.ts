import { expect, it } from 'vitest';
import { freeName } from './free-name.ts';

it('freeName names a snapshot by its block, with a number if that name is used already', () => {
  const taken = (...names: string[]) => names.map((name) => ({ name }));
  expect(freeName(7, taken('block-8'))).toBe('block-7');
  expect(freeName(7, taken('block-7'))).toBe('block-7-2');
  expect(freeName(7, taken('block-7-3', 'block-7', 'block-7-2'))).toBe('block-7-4');
});
