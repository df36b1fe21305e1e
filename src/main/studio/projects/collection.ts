import type { ItemMetadata } from '../../../contract/index.ts';
import { countTraits, percentages, rankItems } from './rarity.ts';

const MAX_LABELS = 200;
const MAX_TRAITS = 200;

type CollectionMetadata = NonNullable<ItemMetadata['collection']>;

/**
 * Computes over a whole collection what depends on all of its items: the share of each trait value, ranks and labels, and the counts of the
 * collection token. Ranks that a table or a person gave are left, and then none are computed.
 * @param items metadata of all items without the collection token
 * @returns metadata of the items in the same order, and the collection's own
 */
export function computeCollection(items: readonly ItemMetadata[]): {
  items: ItemMetadata[];
  collection: CollectionMetadata;
} {
  const traited = items.map(({ mintNumber, traits }) => ({ number: mintNumber ?? null, traits }));
  const counts = countTraits(traited);
  const shares = new Map(
    counts.map(({ name, values }) => [name, new Map(values.map(({ value, percent }) => [value, percent]))]),
  );
  const ranks = mayBeRanked(items) ? rankItems(traited) : [];
  const computed = items.map((metadata, index): ItemMetadata => {
    // An item without a number carries its traits as plain keys.
    if (metadata.mintNumber === undefined) return metadata;
    const traits = metadata.traits.map(({ name, value }) => {
      const occurrencePercent = shares.get(name)?.get(value);
      return { name, value, ...(occurrencePercent !== undefined && { occurrencePercent }) };
    });
    const own = ranks[index];
    if (own === undefined) return { ...metadata, traits };
    return { ...metadata, traits, rank: own.rank, rarityLabel: own.label, rankComputed: true };
  });
  return { items: computed, collection: collectionMetadata(computed, counts) };
}

/** Whether ranks may be computed here: somebody asked for it, and no rank was given. */
function mayBeRanked(items: readonly ItemMetadata[]): boolean {
  return items.some(({ rankComputed }) => rankComputed === true) && !items.some(isRankGiven);
}

/** Whether the rank or the label of an item came from a table or a person. */
export function isRankGiven({ rank, rarityLabel, rankComputed }: ItemMetadata): boolean {
  return rankComputed !== true && (rank !== undefined || rarityLabel !== undefined);
}

function collectionMetadata(
  items: readonly ItemMetadata[],
  counts: ReturnType<typeof countTraits>,
): CollectionMetadata {
  const labels = new Map<string, number>();
  for (const { rarityLabel } of items) {
    if (rarityLabel !== undefined) labels.set(rarityLabel, (labels.get(rarityLabel) ?? 0) + 1);
  }
  const shares = percentages([...labels.values()]);
  return {
    quantity: items.length,
    rarityLabels: [...labels.keys()]
      .slice(0, MAX_LABELS)
      .map((label, index) => ({ label, percent: shares[index] ?? '0' })),
    traits: counts
      .slice(0, MAX_TRAITS)
      .map(({ name, values }) => ({ name, values: values.map(({ value, percent }) => ({ value, percent })) })),
  };
}
