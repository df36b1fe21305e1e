import { expect, it } from 'vitest';
import type { HeaderSource } from './header-source.ts';
import { Standings } from './standings.ts';

const source = (name: string) => ({ name, operator: name }) as HeaderSource;

it('the standing of sources counts what does not hold by source, and asks those first that lied less', () => {
  const standings = new Standings();
  const sources = ['a', 'b', 'c'].map(source);
  standings.keepOnly(sources);
  for (const one of sources) standings.answered(one, 7, 7);
  expect(standings.ranked(sources)).toEqual(sources);
  standings.lied('a');
  standings.lied('a');
  standings.lied('b');
  standings.lied('unknown');
  expect(standings.list().map(({ name, refused }) => [name, refused])).toEqual([
    ['a', 2],
    ['b', 1],
    ['c', 0],
  ]);
  expect(standings.ranked(sources).map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  // what it lied about says nothing of its chain
  expect(standings.list()[0]).toMatchObject({ height: 7, agreesTo: 7, failure: null });
});

it('the standing of a service that another operator answers for begins anew', () => {
  const standings = new Standings();
  const [a, b] = [source('a'), source('b')];
  standings.keepOnly([a, b]);
  for (const one of [a, b]) standings.answered(one, 7, 7);
  expect(standings.agreeOn(7)).toBe(true);
  const moved = { ...a, operator: 'b' };
  standings.keepOnly([moved, b]);
  standings.failed(moved, new Error('away'));
  expect(standings.agreeOn(7)).toBe(false);
  standings.answered(moved, 7, 7);
  expect(standings.agreeOn(7)).toBe(false);
  expect(standings.list().map(({ operator }) => operator)).toEqual(['b', 'b']);
});
