import type { Item } from '../../../contract/index.ts';
import { isDraft } from './item-rules.ts';

/**
 * Splits drafts into those that can be minted now and those that have to wait. Items of a collection refer to its token on chain, so that token
 * is minted first and on its own. Its outpoint is known once it is signed, and then the items can follow.
 */
export function selectable(items: readonly Item[]): { now: Item[]; later: Item[] } {
  const drafts = items.filter(isDraft);
  const collectionIsKnown = items.some((item) => item.subType === 'collection' && item.outpoint !== null);
  const waits = (item: Item): boolean => item.subType === 'collectionItem' && !collectionIsKnown;
  return { now: drafts.filter((item) => !waits(item)), later: drafts.filter(waits) };
}
