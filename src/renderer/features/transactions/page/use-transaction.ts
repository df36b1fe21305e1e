import { useQuery } from '@tanstack/react-query';
import {
  type DecodedTransaction,
  type TrackedDetail,
  type TransactionView,
  transactionStates,
} from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';

/** Answers of miners that change no state are not told by an event. */
const POLL_MS = 2_000;
/** Hex digits of a transaction that is decoded, at most. */
const MAX_HEX = 1_000_000;

export interface KnownTransaction {
  /** What Planchet noted as it submitted it; null for what others sent. */
  readonly own: TrackedDetail | null;
  /** As the chain or the mempool has it; null where they have none, or do not answer. */
  readonly onChain: TransactionView | null;
  /** Its inputs and outputs: those of the chain, or read from the bytes that Planchet kept. */
  readonly parts: TransactionView | DecodedTransaction | null;
}

/** The transaction as it was signed, read from its bytes. @param rawTx hex; null asks for nothing */
export function useDecoded(rawTx: string | null): DecodedTransaction | undefined {
  const text = rawTx !== null && rawTx.length <= MAX_HEX ? rawTx : '';
  const options = api.tx.decode.queryOptions({
    input: { source: { text }, limit: 1 },
    enabled: text !== '',
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return useQuery(options).data?.transactions[0];
}

/** Reads a transaction from the tracker and from the chain. It has data as soon as one of them knows it, and fails where neither does. */
export function useTransaction(txid: string) {
  const own = useQuery(
    api.tx.get.queryOptions({
      input: { txid },
      refetchInterval: ({ state: { data } }) =>
        data !== undefined && !transactionStates.is(data.state, 'final') && POLL_MS,
    }),
  );
  const chain = useQuery(api.transactions.get.queryOptions({ input: { txid } }));
  const decoded = useDecoded(chain.isError ? (own.data?.rawTx ?? null) : null);
  const isKnown = own.data !== undefined || (own.isError && chain.data !== undefined);
  const isForeign = own.error !== null && failureOf(own.error).code === 'not-found';
  const chainFailure = chain.error === null ? undefined : failureOf(chain.error);
  const data: KnownTransaction | undefined = isKnown
    ? { own: own.data ?? null, onChain: chain.data ?? null, parts: chain.data ?? decoded ?? null }
    : undefined;
  return {
    data,
    error: own.isError && chain.isError ? (isForeign ? chain.error : own.error) : null,
    isFetching: own.isFetching || chain.isFetching,
    refetch: () => void Promise.all([own.refetch(), chain.refetch()]),
    /** Why the chain could not be asked; undefined where it answered, also that it has no such transaction. */
    unanswered: data !== undefined && chainFailure?.code !== 'not-found' ? chainFailure : undefined,
  };
}
