import { describe, expect, it } from 'vitest';
import type { Item, Project, WalletCoin } from '../../../contract/index.ts';
import { ADDRESS, item, project, TXID } from '../../test-support/samples.ts';
import { filterTokens, rarityIn, receivedOf, tokensOf, traitKey, traitOptions, type WallFilter } from './wall-rules.ts';

const series: Project = { ...project, uid: 'p2', name: 'Series', type: 'collection' };

function minted(id: string, traits: Record<string, string>, changes: Partial<Item> = {}): Item {
  return {
    ...item,
    id,
    state: 'proven',
    subType: 'collectionItem',
    outpoint: `${TXID}_${id}`,
    metadata: {
      name: `Moon ${id}`,
      description: '',
      traits: Object.entries(traits).map(([name, value]) => ({ name, value })),
    },
    createdAt: Number(id),
    ...changes,
  };
}

const GIFT = 'fe'.repeat(32);
const coin = (outpoint: string, kind: WalletCoin['kind']): WalletCoin => ({
  outpoint,
  kind,
  satoshis: 1,
  address: ADDRESS,
  label: '',
  height: 3,
  confirmations: 1,
  state: 'spendable',
  lockedBy: null,
});

const red = minted('1', { Colour: 'Red', Size: 'Big' });
const blue = minted('2', { Colour: 'Blue', Size: 'Big' });
const small = minted('3', { Colour: 'Red', Size: 'Small' });
const draft = minted('4', { Colour: 'Red' }, { outpoint: null, state: 'draft' });
const single = minted('5', { Colour: 'Red' }, { subType: 'single' });
const all = tokensOf([series, project], [[red, blue, small, draft], [single]]);
const none: WallFilter = { origin: 'all', text: '', projectUid: null, traits: [] };
const received = receivedOf(
  [coin(red.outpoint as string, 'token'), coin(`${GIFT}_0`, 'token'), coin(`${GIFT}_1`, 'funding')],
  all,
);
const ids = (filter: Partial<WallFilter>) =>
  filterTokens([...received, ...all], { ...none, origin: 'minted', ...filter }).map((token) =>
    token.kind === 'minted' ? token.item.id : token.outpoint,
  );
const key = (name: string, value: string) => traitKey({ name, value });

describe('the tokens of the wall', () => {
  it('are the items of all projects that have an outpoint, the newest first', () => {
    expect(all.map((token) => token.item.id)).toEqual(['5', '3', '2', '1']);
    expect(ids({})).toEqual(['5', '3', '2', '1']);
  });

  it('fit a text where every word of it occurs, in whatever case and field', () => {
    expect(ids({ text: 'SERIES big' })).toEqual(['2', '1']);
    expect(ids({ text: 'colour blue' })).toEqual(['2']);
    expect(ids({ text: `${TXID}_3` })).toEqual(['3']);
    expect(ids({ text: 'nothing' })).toEqual([]);
  });

  it('fit any of the values chosen for one trait, and all of the traits chosen', () => {
    expect(ids({ traits: [key('Colour', 'Red'), key('Colour', 'Blue')] })).toEqual(['5', '3', '2', '1']);
    expect(ids({ traits: [key('Colour', 'Red'), key('Size', 'Big')] })).toEqual(['1']);
    expect(ids({ projectUid: 'p2', traits: [key('Colour', 'Red')] })).toEqual(['3', '1']);
  });

  it('are received where the wallet holds a token that no project has minted', () => {
    expect(ids({ origin: 'received' })).toEqual([`${GIFT}_0`]);
    expect(ids({ origin: 'all', text: GIFT })).toEqual([`${GIFT}_0`]);
    expect(ids({ origin: 'all' })).toEqual([`${GIFT}_0`, '5', '3', '2', '1']);
    expect(ids({ origin: 'all', projectUid: 'p1' })).toEqual(['5']);
  });

  it('have their trait values counted, by trait and the most frequent first', () => {
    expect(traitOptions(all).map(({ name, value, count }) => [name, value, count])).toEqual([
      ['Colour', 'Red', 3],
      ['Colour', 'Blue', 1],
      ['Size', 'Big', 2],
      ['Size', 'Small', 1],
    ]);
  });

  it('have their rarity counted over the whole collection, and none without a collection', () => {
    const [lone, ...members] = all;
    const rarity = rarityIn(members[0] as (typeof all)[number], [red, blue, small, draft]);
    expect(rarity?.total).toBe(4);
    expect(rarity?.countOf({ name: 'Colour', value: 'Red' })).toBe(3);
    expect(rarityIn(lone as (typeof all)[number], [single])).toBeUndefined();
  });
});
