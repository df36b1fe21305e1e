import { useQuery } from '@tanstack/react-query';
import type { Item } from '../../contract/index.ts';
import { api, client } from './client.ts';

/** Items fetched per request: a reply with ten thousand would block the page while it is parsed. */
const PAGE = 1_000;

/** The order in which the items of a project are shown and minted. It does not depend on the order of events. */
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

/** The items of a project, kept current by events. Sends no request until the project is known. */
export function useItems(projectUid: string | undefined) {
  return useQuery({
    queryKey: api.items.list.queryKey({ input: { projectUid: projectUid ?? '' } }),
    queryFn: ({ signal }) => fetchItems(projectUid ?? '', signal),
    enabled: projectUid !== undefined,
    select: inOrder,
  });
}
