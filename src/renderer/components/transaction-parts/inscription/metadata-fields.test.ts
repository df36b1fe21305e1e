import { describe, expect, it } from 'vitest';
import { metadataFields } from './metadata-fields.ts';

describe('the metadata fields of a token', () => {
  it('include those inside subTypeData, with traits by their names', () => {
    const inside = {
      collectionId: 'ab_0',
      mintNumber: 3,
      traits: [{ name: 'Sky', value: 'red', rarityLabel: 'rare' }],
    };
    expect(metadataFields({ name: 'Sun', subTypeData: JSON.stringify(inside) })).toEqual([
      { name: 'name', value: 'Sun' },
      { name: 'collectionId', value: 'ab_0' },
      { name: 'mintNumber', value: '3' },
      { name: 'Sky', value: 'red' },
    ]);
  });

  it('include a value repeated in subTypeData only once, such as the description of a collection', () => {
    const subTypeData = JSON.stringify({ description: 'Moons.', quantity: 2 });
    expect(metadataFields({ description: 'Moons.', subTypeData })).toEqual([
      { name: 'description', value: 'Moons.' },
      { name: 'quantity', value: '2' },
    ]);
    expect(metadataFields({ description: 'Suns.', subTypeData }).map(({ value }) => value)).toEqual([
      'Suns.',
      'Moons.',
      '2',
    ]);
  });

  it.each(['no json', '[1]', '7', 'null'])('keep %s as it is written', (text) => {
    expect(metadataFields({ subTypeData: text })).toEqual([{ name: 'subTypeData', value: text }]);
  });

  it('show values that are neither text nor a trait as JSON', () => {
    expect(metadataFields({ subTypeData: '{"royalties":[{"to":"x"}],"ok":true}' })).toEqual([
      { name: 'royalties', value: '[{"to":"x"}]' },
      { name: 'ok', value: 'true' },
    ]);
  });
});
