import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Item } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live-store.ts';
import { type MintedToken, receivedOf, tokensOf, type WallToken } from './wall-rules.ts';

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
  /** What was received stands first. */
  readonly tokens: readonly WallToken[];
  readonly minted: readonly MintedToken[];
  /** All items of a project, minted or not. */
  readonly itemsOf: (projectUid: string) => readonly Item[];
}

/** The coins of the wallet, read again whenever it may have changed. */
function useCoins() {
  const tokens = useLive((state) => state.wallet?.balance.tokens);
  const tip = useLive((state) => state.tip?.hash);
  const query = useQuery(api.wallet.coins.list.queryOptions());
  const { refetch } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new block and each token that comes or goes asks again.
  useEffect(() => void refetch(), [tokens, tip, refetch]);
  return query;
}

/** Every minted token of all projects, kept current by events, and what the wallet has received. */
export function useTokens() {
  const projects = useQuery(api.projects.list.queryOptions());
  const filled = useMemo(() => projects.data?.filter(({ itemCount }) => itemCount > 0) ?? [], [projects.data]);
  const { lists, complete, error, isFetching, again } = useQueries({
    queries: filled.map(({ uid }) => api.items.list.queryOptions({ input: { projectUid: uid } })),
    combine: together,
  });
  const coins = useCoins();
  const ready = projects.data !== undefined && complete;
  const data = useMemo<Wall | undefined>(() => {
    if (!ready) return undefined;
    const places = new Map(filled.map(({ uid }, index) => [uid, index]));
    const minted = tokensOf(filled, lists);
    return {
      minted,
      tokens: [...receivedOf(coins.data ?? [], minted), ...minted],
      itemsOf: (projectUid) => lists[places.get(projectUid) ?? -1] ?? [],
    };
  }, [ready, filled, lists, coins.data]);
  return {
    data,
    /** Why what was received is not known. */
    coinsError: coins.data === undefined ? coins.error : null,
    error: projects.error ?? error,
    isFetching: projects.isFetching || isFetching,
    refetch: async () => {
      await projects.refetch();
      await again();
    },
  };
}
