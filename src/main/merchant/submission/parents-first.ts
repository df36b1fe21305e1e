import type { Tx } from '../../../chain/index.ts';

/** Orders transactions so that each stands behind those that it spends; otherwise they keep their order. */
export function parentsFirst<T extends { readonly txid: string; readonly tx: Tx }>(transactions: readonly T[]): T[] {
  const byTxid = new Map(transactions.map((transaction) => [transaction.txid, transaction]));
  const ordered: T[] = [];
  // Without recursion: a chain may be thousands long.
  const seen = new Set<string>();
  for (const first of transactions) {
    const path: { transaction: T; next: number }[] = [];
    const enter = (transaction: T): void => {
      if (seen.has(transaction.txid)) return;
      seen.add(transaction.txid);
      path.push({ transaction, next: 0 });
    };
    enter(first);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const input = top.transaction.tx.inputs[top.next++];
      if (input === undefined) {
        ordered.push(top.transaction);
        path.pop();
        continue;
      }
      const parent = byTxid.get(input.txid);
      if (parent !== undefined) enter(parent);
    }
  }
  return ordered;
}
