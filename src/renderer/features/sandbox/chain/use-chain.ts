import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { MAX_CHAIN_BLOCKS } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';

/** Blocks per request. */
const STEP = 60;
/** Blocks are reported by an event, but transactions that no wallet knows are not. */
const POLL_MS = 2_000;

/** The newest blocks and the mempool. `reach` loads at least as many blocks as given, and one more request ahead. */
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
