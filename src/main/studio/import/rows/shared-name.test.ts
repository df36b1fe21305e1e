import { describe, expect, it } from 'vitest';
import { isToolFolder, sharedName } from './shared-name.ts';

describe('the name that tokens share', () => {
  it.each([
    [['Moons #1', 'Moons #2', ''], 'Moons'],
    [['Copper tide 09', 'Copper tide 10', 'Cover'], 'Copper tide'],
    [['ring_1', 'ring_2'], 'ring'],
    [['Fuchs Nr. 1', 'Fuchs Nr. 2'], 'Fuchs'],
    [['Renard n° 1', 'Renard n° 2'], 'Renard'],
    [['Casino 1', 'Casino 2'], 'Casino'],
    [['Nr. 1', 'Nr. 2'], 'Nr.'],
    [['Moons #1'], ''],
    [['1', '2', '3'], ''],
    [['Sun #1', 'Moon #2'], ''],
    [[], ''],
  ])('of %j is "%s"', (names, shared) => {
    expect(sharedName(names)).toBe(shared);
  });

  it('is not looked for where the folder has a name of its own', () => {
    expect([isToolFolder('build'), isToolFolder('Images'), isToolFolder('Copper moons')]).toEqual([true, true, false]);
  });
});
