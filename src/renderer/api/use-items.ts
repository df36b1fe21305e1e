import { useQuery } from '@tanstack/react-query';
import type { Item } from '../../contract/index.ts';
import { api } from './client.ts';

/** Oldest first, however the events arrived: the order in which a project's items are shown and minted. */
function inOrder(items: Item[]): Item[] {
  return items.toSorted((a, b) => a.createdAt - b.createdAt);
}

/** The items of a project, kept current by events. Nothing is requested until the project is known. */
export function useItems(projectUid: string | undefined) {
  return useQuery(
    api.items.list.queryOptions({
      input: { projectUid: projectUid ?? '' },
      enabled: projectUid !== undefined,
      select: inOrder,
    }),
  );
}
