import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import {
  MAX_RETRIED_TRANSACTIONS,
  type TrackedQuery,
  type TrackedTransaction,
  type TransactionOrigin,
  type TransactionState,
  transactionOrigins,
  transactionStates,
} from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { useListState } from '../../../components/list/list-state.ts';
import { routes } from '../../../lib/routes.ts';

const PAGE = 200;
/** As many as the host gives at once, for an export. */
const EXPORT_PAGE = 500;

/** The filter stands in the address, so that other pages can lead to it and the way back keeps it. */
export function useFilter() {
  const [, navigate] = useLocation();
  const asked = new URLSearchParams(useSearch());
  const state = transactionStates.names.find((name) => name === asked.get('state'));
  const origin = transactionOrigins.find((name) => name === asked.get('origin'));
  const [typed, setTyped] = useListState('transactions text', '');
  const [search] = useDebouncedValue(typed.trim(), 250);
  const choose = (next: { state?: TransactionState | undefined; origin?: TransactionOrigin | undefined }): void => {
    const wanted = { state, origin, ...next };
    const params = new URLSearchParams();
    if (wanted.state !== undefined) params.set('state', wanted.state);
    if (wanted.origin !== undefined) params.set('origin', wanted.origin);
    navigate(params.size === 0 ? routes.submitted : `${routes.submitted}?${params}`, { replace: true });
  };
  const query = useMemo<TrackedQuery>(
    () => ({
      ...(state !== undefined && { states: [state] }),
      ...(origin !== undefined && { origins: [origin] }),
      ...(search !== '' && { search }),
    }),
    [state, origin, search],
  );
  return {
    state,
    origin,
    typed,
    setTyped,
    choose,
    query,
    isOn: state !== undefined || origin !== undefined || search !== '',
  };
}

/** The transactions that fit the filter, page by page, and how many there are in each state. */
export function useHistory(filter: TrackedQuery) {
  const pages = useInfiniteQuery(
    api.tx.list.infiniteOptions({
      input: (after: string | undefined) => ({ ...filter, limit: PAGE, ...(after !== undefined && { after }) }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next }) => next ?? undefined,
      placeholderData: keepPreviousData,
    }),
  );
  const counts = useQuery(api.tx.counts.queryOptions()).data;
  return { pages, counts };
}

/** Sends chosen transactions again, and counts those that a miner has now and the others. */
export function useRetry() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (txids: readonly string[]): Promise<{ taken: number; refused: number }> => {
      const results: { reason: unknown }[] = [];
      for (let at = 0; at < txids.length; at += MAX_RETRIED_TRANSACTIONS)
        results.push(...(await client.tx.retry({ txids: txids.slice(at, at + MAX_RETRIED_TRANSACTIONS) })));
      const refused = results.filter(({ reason }) => reason !== null).length;
      return { taken: results.length - refused, refused };
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.tx.key() }),
  });
}

/** Every transaction that fits the filter, from the host. */
export async function fetchAll(filter: TrackedQuery): Promise<TrackedTransaction[]> {
  const all: TrackedTransaction[] = [];
  let after: string | undefined;
  do {
    const page = await client.tx.list({ ...filter, limit: EXPORT_PAGE, ...(after !== undefined && { after }) });
    all.push(...page.transactions);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return all;
}
