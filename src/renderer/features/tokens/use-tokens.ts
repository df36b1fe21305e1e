import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Item } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { tokensOf, type WallToken } from './wall-rules.ts';

/** All lists once each is there. */
function together(results: UseQueryResult<Item[]>[]) {
  return {
    lists: results.flatMap(({ data }) => (data === undefined ? [] : [data])),
    complete: results.every(({ data }) => data !== undefined),
    error: results.find(({ error }) => error !== null)?.error ?? null,
    isFetching: results.some(({ isFetching }) => isFetching),
    again: () => Promise.all(results.map(({ refetch }) => refetch())),
  };
}

export interface Wall {
  readonly tokens: readonly WallToken[];
  /** All items of a project, minted or not. */
  readonly itemsOf: (projectUid: string) => readonly Item[];
}

/** Every minted token of all projects, kept current by events. */
export function useTokens() {
  const projects = useQuery(api.projects.list.queryOptions());
  const filled = useMemo(() => projects.data?.filter(({ itemCount }) => itemCount > 0) ?? [], [projects.data]);
  const { lists, complete, error, isFetching, again } = useQueries({
    queries: filled.map(({ uid }) => api.items.list.queryOptions({ input: { projectUid: uid } })),
    combine: together,
  });
  const ready = projects.data !== undefined && complete;
  const data = useMemo<Wall | undefined>(() => {
    if (!ready) return undefined;
    const places = new Map(filled.map(({ uid }, index) => [uid, index]));
    return {
      tokens: tokensOf(filled, lists),
      itemsOf: (projectUid) => lists[places.get(projectUid) ?? -1] ?? [],
    };
  }, [ready, filled, lists]);
  return {
    data,
    error: projects.error ?? error,
    isFetching: projects.isFetching || isFetching,
    refetch: async () => {
      await projects.refetch();
      await again();
    },
  };
}
