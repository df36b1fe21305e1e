import type { Item } from '../../../contract/index.ts';
import { isDraft } from './item-rules.ts';

/**
 * Which drafts can go into a mint now, and which have to wait. Items of a collection name its token on chain, so that token is minted
 * first and on its own; once it is signed its outpoint is known and the items can follow.
 */
export function selectable(items: readonly Item[]): { now: Item[]; later: Item[] } {
  const drafts = items.filter(isDraft);
  const collectionIsKnown = items.some((item) => item.subType === 'collection' && item.outpoint !== null);
  const waits = (item: Item): boolean => item.subType === 'collectionItem' && !collectionIsKnown;
  return { now: drafts.filter((item) => !waits(item)), later: drafts.filter(waits) };
}
