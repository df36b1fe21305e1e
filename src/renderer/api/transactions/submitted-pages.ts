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
 * Applies changed transactions to the pages of a list. A transaction keeps its position, is removed if it no longer matches the filter, and a
 * new one is added at the top. One that is older than the pages and matches only now is left to the next fetch.
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

/** Updates the transactions of a page that was requested on its own. Its length does not change. */
export function withCurrent(page: TrackedPage, changed: readonly TrackedTransaction[]): TrackedPage {
  const byTxid = new Map(changed.map((transaction) => [transaction.txid, transaction]));
  return { ...page, transactions: page.transactions.map((before) => byTxid.get(before.txid) ?? before) };
}
