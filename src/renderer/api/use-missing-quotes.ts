import { useQueries, useQueryClient } from '@tanstack/react-query';
import type { Miner } from '../../contract/index.ts';
import { api, client } from './client.ts';

/** Reads the quotes of miners that have none yet, each once. */
export function useMissingQuotes(miners: readonly Miner[] = []): void {
  const queries = useQueryClient();
  const missing = miners.filter(
    ({ enabled, url, quote, failure }) => enabled && url !== '' && quote === null && failure === null,
  );
  // The list and its charts say what came of it, also of a failure.
  const readAgain = (): Promise<unknown> =>
    Promise.all(
      [api.miners.list, api.miners.quotes].map((read) => queries.invalidateQueries({ queryKey: read.key() })),
    );
  useQueries({
    queries: missing.map(({ id }) => ({
      queryKey: api.miners.refresh.queryKey({ input: { id } }),
      queryFn: () => client.miners.refresh({ id }).finally(readAgain),
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    })),
  });
}
