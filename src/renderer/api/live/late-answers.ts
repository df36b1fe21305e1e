import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';

type Change<T = unknown> = (data: T | undefined) => T | undefined;

/** Changes by events that arrived during a fetch, oldest first. */
const told = new WeakMap<Query, Change[]>();
/** Queries that were invalidated during their first fetch. */
const outdated = new WeakSet<Query>();

/**
 * Applies an event to the cached data of a query. Replies and events use different channels, so the reply to a running fetch may have been
 * written before the event. The change is applied to that reply too.
 * @param change returns undefined to leave the data unchanged
 */
export function applyEvent<T>(queries: QueryClient, queryKey: QueryKey, change: Change<T>): void {
  queries.setQueryData<T>(queryKey, change);
  const query = queries.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus !== 'fetching') return;
  told.set(query, [...(told.get(query) ?? []), change as Change]);
}

/**
 * Prevents replies that arrive after an event from hiding it. React Query repeats a fetch that was invalidated while it was running, except for
 * the first fetch of a query.
 * @returns stops watching
 */
export function watchLateAnswers(queries: QueryClient): () => void {
  return queries.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    const { fetchStatus, data } = query.state;
    if (action.type === 'invalidate' && fetchStatus === 'fetching' && data === undefined) outdated.add(query);
    // A fetch that starts now includes everything reported so far.
    if (action.type === 'fetch') told.delete(query);
    if (action.type !== 'success' || action.manual === true) return;
    const changes = told.get(query);
    told.delete(query);
    for (const change of changes ?? []) queries.setQueryData(query.queryKey, change);
    if (outdated.delete(query)) void queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
}
