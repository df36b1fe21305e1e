import { describe, expect, it } from 'vitest';
import type { Item } from '../../../contract/index.ts';
import { selectable } from './selectable.ts';

const item = (id: string, subType: Item['subType'], changes: Partial<Item> = {}): Item =>
  ({ id, subType, state: 'draft', jobId: null, outpoint: null, ...changes }) as Item;
const ids = (items: Item[]): string[] => items.map((one) => one.id);

describe('the drafts that can be minted now', () => {
  it('are all drafts in a project of single tokens', () => {
    const { now, later } = selectable([item('a', 'single'), item('b', 'single', { state: 'mined', jobId: 'j' })]);
    expect([ids(now), ids(later)]).toEqual([['a'], []]);
  });

  it('are only the collection token until its outpoint is known', () => {
    const items = [item('i', 'collectionItem'), item('k', 'collectionItem')];
    const fresh = selectable([item('c', 'collection'), ...items]);
    expect([ids(fresh.now), ids(fresh.later)]).toEqual([['c'], ['i', 'k']]);
    const built = selectable([item('c', 'collection', { state: 'built', jobId: 'j' }), ...items]);
    expect([ids(built.now), ids(built.later)]).toEqual([[], ['i', 'k']]);
    const signed = selectable([item('c', 'collection', { state: 'signed', jobId: 'j', outpoint: 'x_0' }), ...items]);
    expect([ids(signed.now), ids(signed.later)]).toEqual([['i', 'k'], []]);
  });
});
