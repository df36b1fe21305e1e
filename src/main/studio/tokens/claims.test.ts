import { expect, it } from 'vitest';
import { claimsOf, collectionOf, royaltiesOf, traitsOf } from './claims.ts';

const origin = `${'ab'.repeat(32)}_0`;
const collection = {
  outpoint: origin,
  metadata: {
    name: 'Moons',
    Artist: 'Mira',
    subTypeData: '{"quantity":"200"}',
    royalties: '[{"type":"paymail","destination":"mira@example.com","percentage":"0.05"}]',
  },
};

it("the reader of a token's claims reads number, traits with their shares, and what only the collection says", () => {
  const metadata = {
    name: 'Moon 12',
    Mood: 'calm',
    subTypeData: JSON.stringify({
      collectionId: origin,
      mintNumber: 12,
      traits: [
        { name: 'Sky', value: 'Dusk', occurrencePercent: '12.5' },
        { name: 'Hat', value: 7 },
      ],
    }),
  };
  expect(claimsOf(metadata, collection)).toEqual({
    number: 12,
    quantity: 200,
    artist: 'Mira',
    royalties: [{ destination: 'mira@example.com', percentage: 0.05 }],
    collection: { outpoint: origin, name: 'Moons' },
    traits: [
      { name: 'Mood', value: 'calm', share: null },
      { name: 'Sky', value: 'Dusk', share: 0.125 },
      { name: 'Hat', value: '7', share: null },
    ],
  });
  const listed = { ...metadata, subTypeData: '{"traits":[{"name":"Artist","value":"Ida"}]}' };
  expect(claimsOf(listed, collection)).toMatchObject({ artist: 'Ida', traits: [{ name: 'Mood' }] });
  const both = { ...metadata, artist: 'Ida', subTypeData: '{"traits":[{"name":"Author","value":"Bob"}]}' };
  expect(claimsOf(both, collection)).toMatchObject({ artist: 'Ida', traits: [{ name: 'Mood' }, { name: 'Author' }] });
  const twice = { ...both, Creator: '', subTypeData: '{"traits":[{"name":"Artist","value":"Ida"}]}' };
  expect(claimsOf(twice, collection)).toMatchObject({ artist: 'Ida', traits: [{ name: 'Mood' }] });
  const keys = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`Key ${n}`, 'x']));
  expect(claimsOf({ ...keys, artist: 'Ida' }, undefined).artist).toBe('Ida');
  const own = { ...metadata, royalties: '[{"destination":"1abc","percentage":0.1}]', creator: 'Ada' };
  expect(claimsOf(own, collection)).toMatchObject({
    artist: 'Ada',
    royalties: [{ destination: '1abc', percentage: 0.1 }],
  });
});

it.each([
  'not JSON',
  '[]',
  'null',
  '7',
  '{"mintNumber":"12","traits":"x","quantity":{},"collectionId":7}',
  '{"mintNumber":1e999,"traits":[null],"quantity":-4,"collectionId":"ab_0"}',
  `{"traits":[{"name":{},"value":[]}],"quantity":"many","__proto__":{"collectionId":"${origin}"}}`,
  '['.repeat(50_000),
])("the reader of a token's claims reads nothing from %.60s", (subTypeData) => {
  const hostile = { name: 'Moon', subTypeData, royalties: subTypeData };
  expect(claimsOf(hostile, { outpoint: origin, metadata: hostile })).toEqual({
    number: null,
    quantity: null,
    artist: null,
    royalties: [],
    collection: { outpoint: origin, name: 'Moon' },
    traits: [],
  });
  expect(collectionOf(subTypeData)).toBeNull();
  expect(traitsOf(hostile)).toEqual([]);
});

it("the reader of a token's claims takes no share above the whole, and none without a receiver", () => {
  for (const one of [
    { destination: 'a', percentage: '1.5' },
    { destination: 'a', percentage: '-0.1' },
    { destination: '', percentage: '0.1' },
    { percentage: '0.1' },
    { destination: 'a'.repeat(300), percentage: '0.1' },
  ]) {
    expect(royaltiesOf(JSON.stringify([one]))).toEqual([]);
  }
});
