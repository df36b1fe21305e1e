import { useQueries, useQueryClient } from '@tanstack/react-query';
import type { Miner } from '../../contract/index.ts';
import { api, client } from './client.ts';

/** A quote that ended is read again when one comes back to the page, but not more often. */
const AGAIN_MS = 60_000;

/** Reads the quotes of miners that have none yet, and those that have ended. */
export function useMissingQuotes(miners: readonly Miner[] = []): void {
  const queries = useQueryClient();
  const missing = miners.filter(
    ({ enabled, url, quote, failure }) =>
      enabled && url !== '' && (quote === null ? failure === null : quote.expiresAt <= Date.now()),
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
      staleTime: AGAIN_MS,
      refetchOnWindowFocus: true,
      retry: false,
    })),
  });
}
