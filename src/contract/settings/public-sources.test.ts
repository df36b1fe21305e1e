import { expect, it } from 'vitest';
import { publicSourceNames, readPublicSources, writePublicSources } from './public-sources.ts';

const asked = (text: string) =>
  [...(readPublicSources(text) ?? [])].flatMap(([name, { on, address }]) => (on ? [`${name}${address}`] : []));

it('the setting publicSources lists the services that are used, or those that are not', () => {
  expect(asked('')).toEqual([...publicSourceNames]);
  expect(asked('arcade, whatsonchain=http://127.0.0.1:9600/woc')).toEqual([
    'whatsonchainhttp://127.0.0.1:9600/woc',
    'arcade',
  ]);
  expect(asked('-onesat')).toEqual(['cdn', 'whatsonchain', 'bananablocks', 'arcade']);
  expect(asked('arcade,-onesat')).toEqual(['arcade']);
  for (const text of ['moon', 'arcade,arcade', 'arcade,-arcade', 'arcade=x', '--arcade', 'arcade=https://a b'])
    expect(readPublicSources(text)).toBeUndefined();
});

it('the setting publicSources round-trips, including the address of a disabled service', () => {
  for (const text of [
    '',
    '-onesat',
    'arcade',
    '-whatsonchain=https://own.example/v1',
    'cdn=http://localhost:1,arcade',
  ]) {
    const choices = readPublicSources(text);
    expect(readPublicSources(writePublicSources(choices ?? new Map()))).toEqual(choices);
  }
  expect(writePublicSources(readPublicSources('') ?? new Map())).toBe('');
});
