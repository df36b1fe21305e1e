import { chunks } from '../../../chunks.ts';
import { pause } from '../../../pause.ts';
import type { Mempool } from './mempool.ts';
import type { MempoolEntry } from './mempool-entry.ts';

/** Fees and bytes of a transaction plus its share of its descendants. */
interface Package {
  readonly entry: MempoolEntry;
  fee: number;
  bytes: number;
}

/** A transaction and its fee rate in satoshis per byte. */
interface Rated {
  readonly entry: MempoolEntry;
  readonly rate: number;
}

/** Entries sorted at once; more would block the event loop too long. */
const SLICE = 8_192;

/**
 * Selects what a full mempool evicts: the packages with the lowest fee rate. A package is a transaction with all its descendants. The
 * package rate applies if it exceeds the transaction's own rate, so a child can keep its parent in the mempool. A child with several
 * unconfirmed parents counts in equal shares for each.
 * @param bytes minimum to free
 */
export async function cheapest(mempool: Mempool, bytes: number): Promise<MempoolEntry[]> {
  const doomed = new Set<MempoolEntry>();
  let freed = 0;
  for await (const entry of inOrder(await sortedSlices(await packagesOf(mempool)))) {
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

/** At equal rates the newer transaction goes first, because the older one cannot depend on it. */
function compare(a: Rated, b: Rated): number {
  return a.rate - b.rate || b.entry.sequence - a.entry.sequence;
}

async function sortedSlices(packages: readonly Package[]): Promise<Rated[][]> {
  const slices: Rated[][] = [];
  for (const some of chunks(packages, SLICE)) {
    await pause();
    const slice = some.map(({ entry, fee, bytes }) => ({
      entry,
      rate: Math.max(entry.fee / entry.raw.length, fee / bytes),
    }));
    slices.push(slice.sort(compare));
  }
  return slices;
}

/** Merges the slices lazily, because only a few entries are needed. */
async function* inOrder(slices: readonly Rated[][]): AsyncGenerator<MempoolEntry> {
  const next = slices.map(() => 0);
  for (;;) {
    await pause();
    let least: Rated | undefined;
    let from = 0;
    for (const [index, slice] of slices.entries()) {
      const head = slice[next[index] as number];
      if (head === undefined || (least !== undefined && compare(least, head) <= 0)) continue;
      least = head;
      from = index;
    }
    if (least === undefined) return;
    next[from] = (next[from] as number) + 1;
    yield least.entry;
  }
}

/** Children follow their parents, so in reverse order each package is complete before it is added to its parents. */
async function packagesOf(mempool: Mempool): Promise<Package[]> {
  const packages: Package[] = [];
  const places = new Map<string, Package>();
  for (const entry of mempool.entries()) {
    await pause();
    const own = { entry, fee: entry.fee, bytes: entry.raw.length };
    packages.push(own);
    places.set(entry.txid, own);
  }
  for (let at = packages.length - 1; at >= 0; at--) {
    await pause();
    const child = packages[at] as Package;
    const parents = mempool.parents(child.entry);
    for (const txid of parents) {
      const parent = places.get(txid) as Package;
      parent.fee += child.fee / parents.length;
      parent.bytes += child.bytes / parents.length;
    }
  }
  return packages;
}
