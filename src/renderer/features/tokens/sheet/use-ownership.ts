import { useQuery } from '@tanstack/react-query';
import type { TokenCard } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';

export type Ownership = 'own' | 'other' | 'moved' | 'unknown';

/** Whether a token is still where it was seen last: what the wallet does not hold is asked of the node, again with each block. */
export function useOwnership({ outpoint, owned }: Pick<TokenCard, 'outpoint' | 'owned'>): Ownership {
  const [txid = '', index = '0'] = outpoint.split('_');
  const tip = useLive((state) => state.tip?.hash);
  const options = api.transactions.spenders.queryOptions({ input: { txid, outputs: [Number(index)] } });
  const { data } = useQuery({ ...options, queryKey: [...options.queryKey, tip], enabled: !owned, staleTime: 0 });
  if (owned) return 'own';
  const state = data?.[0]?.state ?? 'unknown';
  if (state === 'unknown') return 'unknown';
  return state === 'unspent' ? 'other' : 'moved';
}
