import type { BlockTransaction } from '../consensus/blocks.ts';

/** Sorts parents before children, otherwise in the given order. */
export function parentsFirst<T extends BlockTransaction>(candidates: readonly T[]): T[] {
  // a single one has no parents to wait for, and may have a quarter of a million inputs
  if (candidates.length < 2) return [...candidates];
  const byId = new Map(candidates.map((candidate) => [candidate.txid, candidate]));
  const ordered: T[] = [];
  const entered = new Set<string>();
  for (const first of byId.values()) {
    if (entered.has(first.txid)) continue;
    entered.add(first.txid);
    // an explicit stack: ten thousand in a chain would overflow the call stack
    const stack = [{ candidate: first, next: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const input = top.candidate.tx.inputs[top.next++];
      if (input === undefined) {
        ordered.push(top.candidate);
        stack.pop();
        continue;
      }
      const parent = byId.get(input.txid);
      if (parent === undefined || entered.has(parent.txid)) continue;
      entered.add(parent.txid);
      stack.push({ candidate: parent, next: 0 });
    }
  }
  return ordered;
}
