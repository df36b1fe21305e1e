import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fuzzyFind } from './fuzzy.ts';

const names = ['Gallery', 'Sun 3', 'Sun 30', 'rpcPort', 'Müller', 'Data writer', '月の石', '🌙'];
const found = (wanted: string) => fuzzyFind(names, wanted).map((at) => names[at]);

it('the fuzzy search finds word starts, parts, reordered words and names in any script', () => {
  expect(found('gal')).toEqual(['Gallery']);
  expect(found('writer data')).toEqual(['Data writer']);
  expect(found('rpc port')).toEqual(['rpcPort']);
  expect(found('müller')).toEqual(['Müller']);
  expect(found('月の')).toEqual(['月の石']);
  expect(found('🌙')).toEqual(['🌙']);
});

it('the fuzzy search tolerates one wrong, missing, added or swapped letter of a word', () => {
  for (const typo of ['galery', 'gallary', 'gallerry', 'galelry']) expect(found(typo), typo).toEqual(['Gallery']);
  expect(found('zebra')).toEqual([]);
});

it('the fuzzy search ranks the closest match first', () => {
  expect(found('sun 3')).toEqual(['Sun 3', 'Sun 30']);
});

it('the fuzzy search accepts any input', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 150 }), (wanted) => {
      for (const at of fuzzyFind(names, wanted)) expect(names[at]).toBeDefined();
    }),
  );
});
