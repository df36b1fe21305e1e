import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { isRehearsalOver, MAX_RUN_ITEMS_A_PAGE, type Rehearsal, type RunItem } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { fetchPages } from '../run/fetch-pages.ts';

/** How often the tokens are read again while they are minted, for each thousand of them. */
const ITEMS_MS = 1_000;

/** Every token of a rehearsal, read again at an even pace while it works. */
export function useRehearsalItems(rehearsal: Rehearsal): readonly RunItem[] {
  const { id, state, items } = rehearsal;
  return (
    useQuery({
      queryKey: [...api.rehearsals.items.key(), id, state],
      queryFn: () => fetchPages((page) => client.rehearsals.items({ id, ...page })),
      placeholderData: keepPreviousData,
      refetchInterval: isRehearsalOver(rehearsal) ? false : ITEMS_MS * Math.max(1, items / MAX_RUN_ITEMS_A_PAGE),
    }).data ?? []
  );
}
