import { keepPreviousData, type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  MAX_TRANSACTIONS_A_PAGE,
  type SubmittedTransaction,
  type TrackedPage,
  type TrackedTransaction,
} from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';

function byTxid(queries: UseQueryResult<TrackedPage>[]): ReadonlyMap<string, TrackedTransaction> {
  return new Map(queries.flatMap(({ data }) => data?.transactions.map((one) => [one.txid, one] as const) ?? []));
}

/** Results with the state in which each transaction is by now. */
export function useCurrentResults(results: ReadonlyMap<string, SubmittedTransaction>): readonly SubmittedTransaction[] {
  const list = useMemo(() => [...results.values()], [results]);
  const pages = useMemo(() => {
    const sent = list.filter((result) => result.sent).map(({ txid }) => txid);
    const count = Math.ceil(sent.length / MAX_TRANSACTIONS_A_PAGE);
    return Array.from({ length: count }, (_, n) =>
      sent.slice(n * MAX_TRANSACTIONS_A_PAGE, (n + 1) * MAX_TRANSACTIONS_A_PAGE),
    );
  }, [list]);
  const tracked = useQueries({
    queries: pages.map((txids) =>
      api.tx.list.queryOptions({
        input: { txids, limit: MAX_TRANSACTIONS_A_PAGE },
        retry: false,
        placeholderData: keepPreviousData,
      }),
    ),
    combine: byTxid,
  });
  return useMemo(
    () =>
      list.map((result) => {
        const now = result.sent ? tracked.get(result.txid) : undefined;
        if (now === undefined) return result;
        const { state, reason } = now;
        return { ...result, state, reason, advice: reason?.advice || null };
      }),
    [list, tracked],
  );
}
