import type { Network, TokenCard, TokenDetail } from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import { metadataOf } from '../projects/items.ts';
import type { StudioTables } from '../tables.ts';

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
