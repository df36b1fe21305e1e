/**
 * Orders transactions so that each comes after those that it spends; otherwise the order is kept. Duplicates are removed.
 * @param transactions any, with their ids in display hex
 */
export function parentsFirst<
  T extends { readonly txid: string; readonly tx: { readonly inputs: readonly { readonly txid: string }[] } },
>(transactions: readonly T[]): T[] {
  // a single one has no parents to wait for, and may have a quarter of a million inputs
  if (transactions.length < 2) return [...transactions];
  const byId = new Map(transactions.map((transaction) => [transaction.txid, transaction]));
  const ordered: T[] = [];
  const entered = new Set<string>();
  for (const first of byId.values()) {
    if (entered.has(first.txid)) continue;
    entered.add(first.txid);
    // an explicit stack: ten thousand in a chain would overflow the call stack
    const stack = [{ transaction: first, next: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const input = top.transaction.tx.inputs[top.next++];
      if (input === undefined) {
        ordered.push(top.transaction);
        stack.pop();
        continue;
      }
      const parent = byId.get(input.txid);
      if (parent === undefined || entered.has(parent.txid)) continue;
      entered.add(parent.txid);
      stack.push({ transaction: parent, next: 0 });
    }
  }
  return ordered;
}
