import { QueryClient } from '@tanstack/react-query';
import { api } from './client.ts';
import { mayPass } from './failure.ts';
import { keepNewest } from './newest.ts';

/** What the page keeps of the host's answers. The host is on this machine: without a network it is asked all the same. */
export function createQueries(): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 30_000,
        // The event stream keeps lists current, so a focus event needs no refetch.
        refetchOnWindowFocus: false,
        retry: (count, error) => count < 1 && mayPass(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
  // Data that is polled while visible would otherwise show the values of the last visit first.
  for (const { key } of [
    api.sandbox.status,
    api.gateway.status,
    api.gateway.history,
    api.zmq.counts,
    api.writer.status,
    api.writer.usage,
  ]) {
    queries.setQueryDefaults(key(), { staleTime: 0 });
  }
  for (const key of [api.mint.get.key(), api.redeemableTokens.get.key()]) {
    queries.setQueryDefaults(key, { structuralSharing: keepNewest });
  }
  return queries;
}
