import { useQueries, useQueryClient } from '@tanstack/react-query';
import type { Miner } from '../../contract/index.ts';
import { api, client } from './client.ts';

/** An expired quote is read again when the window regains the focus, but not more often than this. */
const AGAIN_MS = 60_000;

/** Requests quotes for miners that have none yet or an expired one. */
export function useMissingQuotes(miners: readonly Miner[] = []): void {
  const queries = useQueryClient();
  const missing = miners.filter(
    ({ enabled, url, quote, failure }) =>
      enabled && url !== '' && (quote === null ? failure === null : quote.expiresAt <= Date.now()),
  );
  // The list and the charts show the result, including a failure.
  const readAgain = (): Promise<unknown> =>
    Promise.all(
      [api.miners.list, api.miners.quotes].map((read) => queries.invalidateQueries({ queryKey: read.key() })),
    );
  useQueries({
    queries: missing.map(({ id }) => ({
      queryKey: api.miners.refresh.queryKey({ input: { id } }),
      queryFn: () => client.miners.refresh({ id }).finally(readAgain),
      staleTime: AGAIN_MS,
      refetchOnWindowFocus: true,
      retry: false,
    })),
  });
}
