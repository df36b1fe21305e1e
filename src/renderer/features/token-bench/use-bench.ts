import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** How often the bench is asked again while it is looked at. */
export const REFRESH_MS = 1_000;

/** Contracts, holdings and transactions of the wallet, kept current. */
export function useBench() {
  return useQuery(api.tokenBench.overview.queryOptions({ refetchInterval: REFRESH_MS }));
}
