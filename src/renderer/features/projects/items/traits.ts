import { countTraitsIn, type Item, mintStates, type TraitValueCounts } from '../../../../contract/index.ts';
import { type ItemFilter, inFilter } from '../../../lib/items/item-rules.ts';

/** One value of one trait, as it is counted and filtered by. */
export interface TraitChoice {
  readonly name: string;
  readonly value: string;
}

export interface TraitCounts {
  readonly name: string;
  readonly count: number;
  /** The rarest last. */
  readonly values: readonly { readonly value: string; readonly count: number; readonly percent: number }[];
}

/** How often each value of each trait occurs. The token of a collection itself is not counted. */
export function countTraits(items: readonly Item[]): TraitCounts[] {
  const members = items.filter(({ subType }) => subType !== 'collection');
  const byName: TraitValueCounts = new Map();
  for (const { metadata } of members) countTraitsIn(byName, metadata.traits);
  return [...byName].map(([name, values]) => ({
    name,
    count: [...values.values()].reduce((sum, count) => sum + count, 0),
    values: [...values]
      .map(([value, count]) => ({ value, count, percent: (count / members.length) * 100 }))
      .sort((a, b) => b.count - a.count || a.value.localeCompare(b.value)),
  }));
}

export interface ItemSearch {
  readonly text: string;
  readonly state: ItemFilter;
  /** Values of one trait are alternatives; different traits have to hold together. */
  readonly traits: readonly TraitChoice[];
}

export const noSearch: ItemSearch = { text: '', state: 'all', traits: [] };

/** Items that fit the text (in name, file, number or a trait), the state and the chosen traits. */
export function searchItems(items: readonly Item[], { text, state, traits }: ItemSearch): readonly Item[] {
  const wanted = text.trim().toLowerCase();
  const byName = new Map<string, Set<string>>();
  for (const { name, value } of traits) byName.set(name, (byName.get(name) ?? new Set()).add(value));
  if (wanted === '' && state === 'all' && byName.size === 0) return items;
  return items.filter(
    (item) =>
      inFilter(item, state) &&
      [...byName].every(([name, values]) =>
        item.metadata.traits.some((trait) => trait.name === name && values.has(trait.value)),
      ) &&
      (wanted === '' || searchedText(item).includes(wanted)),
  );
}

/** The searched text of each item. A changed item is a new object, so an entry never becomes stale. */
const searched = new WeakMap<Item, string>();

function searchedText(item: Item): string {
  const known = searched.get(item);
  if (known !== undefined) return known;
  const { metadata, file } = item;
  const traits = metadata.traits.flatMap(({ name, value }) => [name, value]);
  const number = metadata.mintNumber === undefined ? [] : [`#${metadata.mintNumber}`];
  const text = [metadata.name, file.name, ...number, ...traits].join('\n').toLowerCase();
  searched.set(item, text);
  return text;
}

/** Adds a value to the chosen ones, or takes it away. */
export function toggleTrait(chosen: readonly TraitChoice[], { name, value }: TraitChoice): readonly TraitChoice[] {
  const without = chosen.filter((one) => one.name !== name || one.value !== value);
  return without.length === chosen.length ? [...chosen, { name, value }] : without;
}

/** The picture that stands for a project: that of its collection token, else of its first item. */
export function coverOf(items: readonly Item[]): Item | undefined {
  return items.find(({ subType }) => subType === 'collection') ?? items[0];
}

export function countMinted(items: readonly Item[]): number {
  return items.filter(({ state }) => mintStates.is(state, 'mined')).length;
}
