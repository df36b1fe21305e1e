import { describe, expect, it } from 'vitest';
import { en } from './en.ts';
import { fill, textsIn } from './texts.ts';

describe("the shell's texts", () => {
  it('say how the window comes back on a desktop without a tray', () => {
    expect(en.closeDetail).toMatch(/starting Planchet/);
    expect(textsIn('de').closeDetail).toMatch(/Start von Planchet/);
  });

  it('are filled in once: what is filled in is no place itself', () => {
    expect(fill('{a} and {b}', { a: '{b}', b: 2 })).toBe('{b} and 2');
    expect(fill('{c}', {})).toBe('{c}');
  });
});
