import { useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live-store.ts';
import { ask } from '../../api/node.ts';

/** Who holds an output, as far as it is known. */
export interface Ownership {
  /** Where the output was paid to; null for a script that is no address, undefined until the node has answered. */
  readonly address: string | null | undefined;
  /** Whether that address is the wallet's. */
  readonly own: boolean | undefined;
  /** Whether the token has left this output. */
  readonly spent: boolean | undefined;
}

/** Asks the node who holds a token, again with each block. @param known whether a node has the transaction already */
export function useOwnership(outpoint: string, known: boolean): Ownership {
  const [txid = '', index = '0'] = outpoint.split('_');
  const output = Number(index);
  const tip = useLive((state) => state.tip?.hash);
  const transaction = useQuery(api.transactions.get.queryOptions({ input: { txid, output }, enabled: known }));
  const found = transaction.data?.outputs.find((one) => one.index === output);
  const address = found === undefined ? undefined : found.address;
  const unspent = useQuery({
    queryKey: ['tokens', 'unspent', txid, output, tip],
    queryFn: async () => (await ask(z.unknown(), 'gettxout', txid, output, true)) !== null,
    enabled: known,
    staleTime: 0,
  });
  const checked = useQuery(
    api.wallet.validateAddress.queryOptions({
      input: { address: address ?? '' },
      enabled: typeof address === 'string',
    }),
  );
  return {
    address,
    own: checked.data?.own,
    spent: unspent.data === undefined ? undefined : !unspent.data,
  };
}
