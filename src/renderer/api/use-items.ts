import { useQuery } from '@tanstack/react-query';
import type { Item } from '../../contract/index.ts';
import { api } from './client.ts';

/** The order in which a project's items are shown and minted, however the events arrived. */
function inOrder(items: Item[]): Item[] {
  return items.toSorted((a, b) => a.position - b.position);
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
