import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';

type Change<T = unknown> = (data: T | undefined) => T | undefined;

/** What was told while an answer was on its way, oldest first. */
const told = new WeakMap<Query, Change[]>();
/** Queries whose first answer was out of date before it came. */
const outdated = new WeakSet<Query>();

/**
 * Changes what is known of a query as an event tells it. Answers and events come over different ways: an answer that is on its way may have been
 * written before the event, so the change is made to it too.
 * @param change undefined leaves the query as it is
 */
export function applyEvent<T>(queries: QueryClient, queryKey: QueryKey, change: Change<T>): void {
  queries.setQueryData<T>(queryKey, change);
  const query = queries.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus !== 'fetching') return;
  told.set(query, [...(told.get(query) ?? []), change as Change]);
}

/**
 * Keeps answers that arrive after an event from hiding it. React Query asks again for an answer on its way that was invalidated, except for the
 * first one, which it takes for current.
 * @returns what ends it
 */
export function watchLateAnswers(queries: QueryClient): () => void {
  return queries.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    const { fetchStatus, data } = query.state;
    if (action.type === 'invalidate' && fetchStatus === 'fetching' && data === undefined) outdated.add(query);
    // What is asked for from now on knows of all that was told.
    if (action.type === 'fetch') told.delete(query);
    if (action.type !== 'success' || action.manual === true) return;
    const changes = told.get(query);
    told.delete(query);
    for (const change of changes ?? []) queries.setQueryData(query.queryKey, change);
    if (outdated.delete(query)) void queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
}
