import type { QueryClient } from '@tanstack/react-query';
import type { LiveEvent, TrackedPage, TrackedQuery } from '../../../contract/index.ts';
import { api } from '../client.ts';
import { applyEvent } from '../live/late-answers.ts';
import { applyChanges, type Pages, withCurrent } from './submitted-pages.ts';

/** Counting all transactions and refetching pages costs the host more than an event, so both are throttled. */
const REFRESH_MS = 1_000;

const refreshing = new WeakSet<QueryClient>();
const incomplete = new WeakSet<QueryClient>();

/** Keeps open lists and pages of submitted transactions current by events. */
export function updateTransactions(queries: QueryClient, event: LiveEvent & { type: 'transaction' }): void {
  for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: api.tx.list.key({ type: 'infinite' }) })) {
    const { input = {} } = queryKey[1] as { input?: TrackedQuery };
    applyEvent<Pages>(queries, queryKey, (data) => data && applyChanges(data, event.transactions, input));
  }
  for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: api.tx.list.key({ type: 'query' }) }))
    applyEvent<TrackedPage>(queries, queryKey, (page) => page && withCurrent(page, event.transactions));
  for (const { txid } of event.transactions) {
    void queries.invalidateQueries({ queryKey: api.tx.get.key({ input: { txid } }) });
    void queries.invalidateQueries({ queryKey: api.transactions.get.key({ input: { txid } }) });
  }
  if (!event.isComplete) incomplete.add(queries);
  if (refreshing.has(queries)) return;
  refreshing.add(queries);
  setTimeout(() => {
    refreshing.delete(queries);
    void queries.invalidateQueries({ queryKey: api.tx.counts.key() });
    if (incomplete.delete(queries)) void queries.invalidateQueries({ queryKey: api.tx.list.key() });
  }, REFRESH_MS);
}
