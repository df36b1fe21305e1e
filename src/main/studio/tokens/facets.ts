import {
  MAX_FACET_TRAITS,
  type Network,
  type TokenCard,
  type TokenDetail,
  type TokenFacets,
} from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import { metadataOf } from '../projects/item-rows.ts';
import type { StudioTables } from '../tables.ts';

/** By what these tokens can be filtered. @param projectUid counts the traits of its tokens alone */
export function facetsOf(cards: readonly TokenCard[], projectUid?: string): TokenFacets {
  const projects = new Map<string, TokenFacets['projects'][number]>();
  const traits = new Map<string, TokenFacets['traits'][number]>();
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
    for (const { name, value } of card.traits) {
      const key = JSON.stringify([name, value]);
      const known = traits.get(key);
      if (known !== undefined) known.count += 1;
      else traits.set(key, { name, value, count: 1 });
    }
  }
  return {
    minted: cards.length - received,
    received,
    elsewhere,
    projects: [...projects.values()].sort((a, b) => a.name.localeCompare(b.name)),
    traits: [...traits.values()]
      .sort((a, b) => a.name.localeCompare(b.name) || b.count - a.count || a.value.localeCompare(b.value))
      .slice(0, MAX_FACET_TRAITS),
  };
}

/** How many items of a token's collection, minted or not, have each of its traits; null without a collection. */
export async function rarityOf(
  { projectUid, itemId, traits }: TokenCard,
  { network, store }: { network: Network; store: Store<StudioTables> },
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
  const counts = traits.map(({ name }) => ({ name, count: 0 }));
  for (const row of rows) {
    const has = new Map(metadataOf(row).traits.map((trait) => [trait.name, trait.value]));
    for (const [index, { name, value }] of traits.entries()) {
      const count = counts[index];
      if (count !== undefined && has.get(name) === value) count.count += 1;
    }
  }
  return { total: rows.length, traits: counts };
}
