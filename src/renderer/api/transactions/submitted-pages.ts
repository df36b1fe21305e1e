import type { InfiniteData } from '@tanstack/react-query';
import type { TrackedPage, TrackedQuery, TrackedTransaction } from '../../../contract/index.ts';

export type Pages = InfiniteData<TrackedPage, string | undefined>;

function fits(
  { txid, label, state, origin }: TrackedTransaction,
  { states, origins, txids, search = '' }: TrackedQuery,
): boolean {
  if (states !== undefined && !states.includes(state)) return false;
  if (origins !== undefined && !origins.includes(origin)) return false;
  if (txids !== undefined && !txids.includes(txid)) return false;
  const text = search.toLowerCase();
  return txid.startsWith(text) || label.toLowerCase().includes(text);
}

/**
 * The pages of a list after transactions changed: each stands where it stood, leaves where it no longer fits the filter, and a new one comes
 * first. One that is older than the pages and fits only now is left to the next fetch.
 */
export function applyChanges(data: Pages, changed: readonly TrackedTransaction[], query: TrackedQuery): Pages {
  const byTxid = new Map(changed.map((transaction) => [transaction.txid, transaction]));
  const pages = data.pages.map((page) => ({
    ...page,
    transactions: page.transactions.flatMap((before) => {
      const after = byTxid.get(before.txid) ?? before;
      byTxid.delete(before.txid);
      return after === before || fits(after, query) ? [after] : [];
    }),
  }));
  const [first, ...rest] = pages;
  if (first === undefined) return data;
  const newest = first.transactions[0]?.createdAt ?? 0;
  const added = [...byTxid.values()].filter(
    (transaction) => transaction.createdAt >= newest && fits(transaction, query),
  );
  return { ...data, pages: [{ ...first, transactions: [...added.reverse(), ...first.transactions] }, ...rest] };
}

/** A page that was asked for by itself, with those of its transactions that changed as they are now; it keeps its length. */
export function withCurrent(page: TrackedPage, changed: readonly TrackedTransaction[]): TrackedPage {
  const byTxid = new Map(changed.map((transaction) => [transaction.txid, transaction]));
  return { ...page, transactions: page.transactions.map((before) => byTxid.get(before.txid) ?? before) };
}
