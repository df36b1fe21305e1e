import { useQuery } from '@tanstack/react-query';
import type { Item } from '../../contract/index.ts';
import { api, client } from './client.ts';

/** Items that are fetched at once: an answer with ten thousand would hold up the page while it is read. */
const PAGE = 1_000;

/** The order in which a project's items are shown and minted, however the events arrived. */
function inOrder(items: Item[]): Item[] {
  return items.toSorted((a, b) => a.position - b.position);
}

async function fetchItems(projectUid: string, signal: AbortSignal): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const after = items.at(-1)?.position;
    const page = await client.items.list(
      { projectUid, limit: PAGE, ...(after === undefined ? {} : { after }) },
      { signal },
    );
    items.push(...page);
    if (page.length !== PAGE) return items;
  }
}

/** The items of a project, kept current by events. Nothing is requested until the project is known. */
export function useItems(projectUid: string | undefined) {
  return useQuery({
    queryKey: api.items.list.queryKey({ input: { projectUid: projectUid ?? '' } }),
    queryFn: ({ signal }) => fetchItems(projectUid ?? '', signal),
    enabled: projectUid !== undefined,
    select: inOrder,
  });
}
