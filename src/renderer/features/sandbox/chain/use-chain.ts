import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { MAX_CHAIN_BLOCKS } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';

/** Blocks fetched at once. */
const STEP = 60;
/** Blocks arrive by an event; a transaction that no wallet knows does not. */
const POLL_MS = 2_000;

/** The newest blocks and the mempool. `reach` fetches as many blocks as it is given, and one step more. */
export function useChain() {
  const [limit, setLimit] = useState(STEP);
  const query = useQuery({
    ...api.sandbox.chain.queryOptions({ input: { limit } }),
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  });
  const reach = useCallback((blocks: number) => {
    const wanted = Math.min(MAX_CHAIN_BLOCKS, (Math.ceil(blocks / STEP) + 1) * STEP);
    setLimit((before) => Math.max(before, wanted));
  }, []);
  return { query, reach };
}
