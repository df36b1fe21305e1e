import { describe, expect, it } from 'vitest';
import { de } from './de.ts';
import { en } from './en.ts';
import { fill } from './texts.ts';

const places = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();

describe("the shell's texts", () => {
  it('say the same in German, with the same places', () => {
    expect(Object.keys(de)).toEqual(Object.keys(en));
    for (const key of Object.keys(en) as (keyof typeof en)[])
      expect([key, places(de[key])]).toEqual([key, places(en[key])]);
  });

  it('say how the window comes back on a desktop without a tray', () => {
    expect(en.closeDetail).toMatch(/starting Planchet/);
    expect(de.closeDetail).toMatch(/Start von Planchet/);
  });

  it('are filled in once: what is filled in is no place itself', () => {
    expect(fill('{a} and {b}', { a: '{b}', b: 2 })).toBe('{b} and 2');
    expect(fill('{c}', {})).toBe('{c}');
  });
});
