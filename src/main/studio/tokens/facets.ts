import {
  countTraitsIn,
  MAX_FACET_TRAITS,
  type TokenCard,
  type TokenDetail,
  type TokenFacets,
  type TraitValueCounts,
} from '../../../contract/index.ts';
import type { StudioParts } from '../parts.ts';
import { metadataOf } from '../projects/item-rows.ts';

/** By what these tokens can be filtered. @param projectUid counts the traits of its tokens alone */
export function facetsOf(cards: readonly TokenCard[], projectUid?: string): TokenFacets {
  const projects = new Map<string, TokenFacets['projects'][number]>();
  const traits: TraitValueCounts = new Map();
  let received = 0;
  let elsewhere = 0;
  for (const card of cards) {
    if (card.source === 'received') received += 1;
    if (!card.owned) elsewhere += 1;
    if (card.projectUid !== null) {
      const known = projects.get(card.projectUid);
      if (known !== undefined) known.count += 1;
      else projects.set(card.projectUid, { uid: card.projectUid, name: card.projectName ?? card.projectUid, count: 1 });
    }
    if (projectUid !== undefined && card.projectUid !== projectUid) continue;
    countTraitsIn(traits, card.traits);
  }
  return {
    minted: cards.length - received,
    received,
    elsewhere,
    projects: [...projects.values()].sort((a, b) => a.name.localeCompare(b.name)),
    traits: [...traits]
      .flatMap(([name, values]) => [...values].map(([value, count]) => ({ name, value, count })))
      .sort((a, b) => a.name.localeCompare(b.name) || b.count - a.count || a.value.localeCompare(b.value))
      .slice(0, MAX_FACET_TRAITS),
  };
}

/** How many items of a token's collection, minted or not, have each of its traits; null without a collection. */
export async function rarityOf(
  { projectUid, itemId, traits }: TokenCard,
  { network, store }: Pick<StudioParts, 'network' | 'store'>,
): Promise<TokenDetail['rarity']> {
  if (projectUid === null) return null;
  const rows = await store.db
    .selectFrom('studio_items')
    .selectAll()
    .where('network', '=', network)
    .where('project_uid', '=', projectUid)
    .where('sub_type', '=', 'collectionItem')
    .execute();
  if (!rows.some(({ id }) => id === itemId)) return null;
  const counts: TraitValueCounts = new Map();
  for (const row of rows) countTraitsIn(counts, metadataOf(row).traits);
  return {
    total: rows.length,
    traits: traits.map(({ name, value }) => ({ name, count: counts.get(name)?.get(value) ?? 0 })),
  };
}
