import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** Contracts, holdings and transactions of the wallet, kept current by the live events. */
export function useBench() {
  return useQuery(api.tokenBench.overview.queryOptions());
}
