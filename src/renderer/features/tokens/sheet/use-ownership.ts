import { useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import type { TokenCard } from '../../../../contract/index.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { ask } from '../../../api/node.ts';

export type Ownership = 'own' | 'other' | 'moved' | 'unknown';

/** Whether a token is still where it was seen last: what the wallet does not hold is asked of the node, again with each block. */
export function useOwnership({ outpoint, owned }: Pick<TokenCard, 'outpoint' | 'owned'>): Ownership {
  const [txid = '', index = '0'] = outpoint.split('_');
  const tip = useLive((state) => state.tip?.hash);
  const unspent = useQuery({
    queryKey: ['tokens', 'unspent', txid, index, tip],
    queryFn: async () => (await ask(z.unknown(), 'gettxout', txid, Number(index), true)) !== null,
    enabled: !owned,
    staleTime: 0,
  });
  if (owned) return 'own';
  if (unspent.data === undefined) return 'unknown';
  return unspent.data ? 'other' : 'moved';
}
