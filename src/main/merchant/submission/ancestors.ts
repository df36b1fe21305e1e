import { z } from 'zod';
import type { NodeRpc } from '../../ports/node.ts';
import type { SourceTransaction } from './read-source.ts';
import type { SpentOutput } from './spent-outputs.ts';

/** Parents in the mempool that the node is asked about; the chains of others count as one. */
const MAX_ASKED = 50;

/**
 * Length of the longest chain of unconfirmed ancestors of each transaction: those of the same source, and those that the node's mempool has.
 * Where the node names the ancestors alone and not what each depends on, their number counts, which is never less.
 * @param transactions parents before children
 */
export async function ancestorsOf(
  node: NodeRpc,
  transactions: readonly SourceTransaction[],
  spent: ReadonlyMap<string, readonly SpentOutput[]>,
): Promise<ReadonlyMap<string, number>> {
  const lengths = new Map<string, number>();
  const atNode = new Map<string, number>();
  for (const { txid, tx } of transactions) {
    let longest = 0;
    for (const [i, input] of tx.inputs.entries()) {
      const { source, state, confirmations } = spent.get(txid)?.[i] ?? {};
      const own = lengths.get(input.txid);
      if (own !== undefined) longest = Math.max(longest, own + 1);
      else if (source === 'node' && state === 'unspent' && confirmations === 0) {
        if (!atNode.has(input.txid))
          atNode.set(input.txid, atNode.size < MAX_ASKED ? await longestAt(node, input.txid) : 0);
        longest = Math.max(longest, (atNode.get(input.txid) ?? 0) + 1);
      }
    }
    lengths.set(txid, longest);
  }
  return lengths;
}

const entriesSchema = z.record(z.string(), z.object({ depends: z.array(z.string()) }));

/** What the node does not tell keeps nobody from sending. */
async function longestAt(node: NodeRpc, txid: string): Promise<number> {
  try {
    const ancestors = await node.call<unknown>('getmempoolancestors', [txid, true]);
    if (Array.isArray(ancestors)) return ancestors.length;
    const entries = entriesSchema.parse(ancestors);
    return longestChain(new Map(Object.entries(entries).map(([id, { depends }]) => [id, depends])));
  } catch {
    return 0;
  }
}

/** @param parents of each transaction; those that are no key themselves are mined */
function longestChain(parents: ReadonlyMap<string, readonly string[]>): number {
  const children = new Map<string, string[]>();
  const missing = new Map<string, number>();
  for (const [txid, all] of parents) {
    const open = all.filter((parent) => parents.has(parent));
    missing.set(txid, open.length);
    for (const parent of open) children.set(parent, [...(children.get(parent) ?? []), txid]);
  }
  // one generation after the other: the longest chain has as many as there are
  let generation = [...parents.keys()].filter((txid) => missing.get(txid) === 0);
  let length = 0;
  for (; generation.length > 0; length++) {
    const next: string[] = [];
    for (const child of generation.flatMap((txid) => children.get(txid) ?? [])) {
      const left = (missing.get(child) ?? 0) - 1;
      missing.set(child, left);
      if (left === 0) next.push(child);
    }
    generation = next;
  }
  return length;
}
