import type { ItemMetadata } from '../../../contract/index.ts';
import { countTraits, percentages, rankItems } from './rarity.ts';

const MAX_LABELS = 200;
const MAX_TRAITS = 200;

type CollectionMetadata = NonNullable<ItemMetadata['collection']>;

/**
 * Computes over a whole collection what depends on all of its items: the share of each trait value, ranks and labels, and the counts of the
 * collection token. If a table or a person gave ranks, none are computed.
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

export interface StoredItem {
  readonly id: string;
  readonly sub_type: string;
  /** JSON. */
  readonly metadata: string;
  readonly state: string;
  readonly job_id: string | null;
}

export interface ComputedChange {
  readonly id: string;
  /** JSON that it is computed from: the change is not made if the item has other metadata by now. */
  readonly before: string;
  readonly metadata: ItemMetadata;
}

/** What {@link computeCollection} changes in the drafts of a project. Collections without mint numbers have no such values. */
export function changesOf(rows: readonly StoredItem[]): ComputedChange[] {
  const all = rows.map((row) => ({ ...row, known: JSON.parse(row.metadata) as ItemMetadata }));
  const members = all.filter(({ sub_type }) => sub_type === 'collectionItem');
  if (!members.some(({ known }) => known.mintNumber !== undefined)) return [];
  const { items, collection } = computeCollection(members.map(({ known }) => known));
  const wanted = members.map((row, index) => ({ row, metadata: items[index] as ItemMetadata }));
  const token = all.find(({ sub_type }) => sub_type === 'collection');
  if (token !== undefined) wanted.push({ row: token, metadata: { ...token.known, collection } });
  return wanted.flatMap(({ row, metadata }): ComputedChange[] => {
    const isDraft = row.state === 'draft' && row.job_id === null;
    return isDraft && JSON.stringify(metadata) !== row.metadata ? [{ id: row.id, before: row.metadata, metadata }] : [];
  });
}

/** Whether ranks are computed: it was asked for, and no rank was given. */
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
