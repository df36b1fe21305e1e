import type { QueryClient } from '@tanstack/react-query';
import type { Item } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { isDraft } from '../../../lib/items/item-rules.ts';

/** What drafts can be ordered by; a trait is named by itself. */
export const orderKeys = ['name', 'number', 'rank', 'file'] as const;
export type OrderKey = (typeof orderKeys)[number] | `trait:${string}`;

/** Numbers in a text are compared as numbers: `Ring 2` comes before `Ring 10`. */
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Whether its place can change: that of a draft, but a collection token is always first. */
export function canMove(item: Item): boolean {
  return isDraft(item) && item.subType !== 'collection';
}

/** Drafts whose place can change. */
export function movable(items: readonly Item[]): readonly Item[] {
  return items.filter(canMove);
}

function orderValue({ metadata, file }: Item, key: OrderKey): string | number | undefined {
  if (key === 'name') return metadata.name;
  if (key === 'number') return metadata.mintNumber;
  if (key === 'rank') return metadata.rank;
  if (key === 'file') return file.name;
  return metadata.traits.find(({ name }) => `trait:${name}` === key)?.value;
}

/** Ids in the order of a value; what has no value comes last, equal ones keep their order. */
export function orderedBy(items: readonly Item[], key: OrderKey): string[] {
  const keyed = movable(items).map((item) => ({ id: item.id, value: orderValue(item, key) }));
  return keyed.sort(({ value: a }, { value: b }) => compared(a, b, 1)).map(({ id }) => id);
}

function compared(a: string | number | undefined, b: string | number | undefined, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b)));
}

/** What the gallery can be ordered by; `place` is the order that a person gave the items. */
export const gallerySorts = ['place', 'number', 'rank', 'name', 'time'] as const;
export type GallerySort = (typeof gallerySorts)[number];

/** Items sorted by a value for display; their stored places stay. Items without the value come last. */
export function shownBy(items: readonly Item[], by: GallerySort, reversed: boolean): readonly Item[] {
  if (by === 'place') return reversed ? items.toReversed() : items;
  const keyed = items.map((item) => ({ item, value: by === 'time' ? -item.createdAt : orderValue(item, by) }));
  return keyed.sort(({ value: a }, { value: b }) => compared(a, b, reversed ? -1 : 1)).map(({ item }) => item);
}

/** Ids after one item was put to the place of another. */
export function movedTo(items: readonly Item[], id: string, target: string): string[] {
  const ids = movable(items).map((item) => item.id);
  const from = ids.indexOf(id);
  const to = ids.indexOf(target);
  return from < 0 || to < 0 ? ids : ids.toSpliced(from, 1).toSpliced(to, 0, id);
}

/** Ids after one item was moved by some places, at most to the first or the last. */
export function movedBy(items: readonly Item[], id: string, places: number): string[] {
  const ids = movable(items).map((item) => item.id);
  const target = ids[Math.max(0, Math.min(ids.length - 1, ids.indexOf(id) + places))];
  return target === undefined ? ids : movedTo(items, id, target);
}

/** Stores an order. The page shows it at once; where it is refused, the items are fetched again. */
export async function keepOrder(
  queries: QueryClient,
  projectUid: string,
  ids: readonly string[],
  renumber: boolean,
): Promise<void> {
  const queryKey = api.items.list.queryKey({ input: { projectUid } });
  queries.setQueryData<Item[]>(queryKey, (list) => {
    if (list === undefined) return undefined;
    const moved = new Set(ids);
    const places = list.filter(({ id }) => moved.has(id)).map(({ position }) => position);
    places.sort((a, b) => a - b);
    const at = new Map(ids.map((id, index) => [id, places[index]]));
    return list.map((item) => ({ ...item, position: at.get(item.id) ?? item.position }));
  });
  try {
    await client.items.reorder({ projectUid, ids: [...ids], renumber });
  } finally {
    await queries.invalidateQueries({ queryKey });
  }
}
