import type { Mempool, MempoolEntry } from './mempool.ts';
import { Pause } from './pause.ts';

/** Fees and bytes of a transaction with its share of what builds on it. */
interface Package {
  readonly entry: MempoolEntry;
  fee: number;
  bytes: number;
}

/**
 * What a full mempool lets go: the packages of the lowest fee rate, a package being a transaction with all that builds on it. A parent
 * is worth what its children pay where that is more than it pays itself, so a child can keep its parent in; one that spends several
 * waiting parents counts in equal shares for each.
 * @param bytes to be freed at least
 */
export async function cheapest(mempool: Mempool, bytes: number): Promise<MempoolEntry[]> {
  const packages = await packagesOf(mempool);
  const rates = new Map<MempoolEntry, number>();
  for (const { entry, fee, bytes: size } of packages) {
    rates.set(entry, Math.max(entry.fee / entry.raw.length, fee / size));
  }
  const rateOf = (entry: MempoolEntry): number => rates.get(entry) as number;
  const inOrder = [...rates.keys()].sort((a, b) => rateOf(a) - rateOf(b) || b.sequence - a.sequence);
  const doomed = new Set<MempoolEntry>();
  let freed = 0;
  for (const entry of inOrder) {
    if (freed >= bytes) break;
    if (doomed.has(entry)) continue;
    for (const one of [entry, ...mempool.descendants(entry)]) {
      if (doomed.has(one)) continue;
      doomed.add(one);
      freed += one.raw.length;
    }
  }
  return [...doomed];
}

/** Children come after their parents, so going backwards each is complete before it is added to those it builds on. */
async function packagesOf(mempool: Mempool): Promise<Iterable<Package>> {
  const packages = new Map<string, Package>();
  for (const entry of mempool.entries()) packages.set(entry.txid, { entry, fee: entry.fee, bytes: entry.raw.length });
  const pause = new Pause();
  for (const child of [...packages.values()].reverse()) {
    await pause.here();
    const parents = mempool.parents(child.entry);
    for (const txid of parents) {
      const parent = packages.get(txid) as Package;
      parent.fee += child.fee / parents.length;
      parent.bytes += child.bytes / parents.length;
    }
  }
  return packages.values();
}
