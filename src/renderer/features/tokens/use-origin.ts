import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { useLive } from '../../api/live-store.ts';
import { originOf } from './origin.ts';

/** Where a received token comes from. It is read again with each block until a block holds it. */
export function useOrigin(outpoint: string, height: number | null) {
  const tip = useLive((state) => state.tip?.hash);
  return useQuery({
    queryKey: ['tokens', 'origin', outpoint, height ?? tip],
    queryFn: () => originOf(outpoint, (place) => client.transactions.get(place)),
    staleTime: Number.POSITIVE_INFINITY,
    retry: 1,
  });
}
