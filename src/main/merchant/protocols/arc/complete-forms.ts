import { parseTx, serializeBeef, serializeExtended, type TxOutput } from '../../../../chain/index.ts';
import type { KnownTransaction, KnownTransactions } from '../../../ports/merchant/transactions.ts';

/** Unmined ancestors that are sent along at most. */
const MAX_ANCESTORS = 100;

/**
 * A form of a transaction for a miner that does not know its parents: the extended format (BRC-30) where all parents are mined, a BEEF
 * (BRC-62) where the unmined ones have to be sent along.
 * @returns undefined if too little is known here as well
 */
export async function completeForm(rawTx: Uint8Array, known: KnownTransactions): Promise<Uint8Array | undefined> {
  const tx = parseTx(rawTx);
  const parents = await known.withProofs([...new Set(tx.inputs.map(({ txid }) => txid))]);
  const spent: TxOutput[] = [];
  for (const { txid, vout } of tx.inputs) {
    const parent = parents.get(txid);
    const output = parent && parseTx(parent.rawTx).outputs[vout];
    if (output === undefined) return undefined;
    spent.push(output);
  }
  const areMined = [...parents.values()].every(({ bump }) => bump !== null);
  const ancestors = areMined ? undefined : await ancestorsOf(rawTx, parents, known);
  return ancestors === undefined
    ? serializeExtended({ tx, spent })
    : serializeBeef([...ancestors, { rawTx, bump: null }]);
}

/** @returns all ancestors up to the mined ones, parents first; undefined if one is not known */
async function ancestorsOf(
  rawTx: Uint8Array,
  parents: ReadonlyMap<string, KnownTransaction>,
  known: KnownTransactions,
): Promise<KnownTransaction[] | undefined> {
  const found = new Map(parents);
  let level = parents;
  while (level.size > 0) {
    if (found.size > MAX_ANCESTORS) return undefined;
    const unmined = [...level.values()].filter(({ bump }) => bump === null);
    const wanted = [...new Set(unmined.flatMap(parentsOf))].filter((txid) => !found.has(txid));
    level = await known.withProofs(wanted);
    if (level.size < wanted.length) return undefined;
    for (const [txid, one] of level) found.set(txid, one);
  }
  const ordered = new Map<string, KnownTransaction>();
  const visit = (txid: string): void => {
    const one = found.get(txid);
    if (one === undefined || ordered.has(txid)) return;
    if (one.bump === null) parentsOf(one).forEach(visit);
    ordered.set(txid, one);
  };
  parentsOf({ rawTx, bump: null }).forEach(visit);
  return [...ordered.values()];
}

function parentsOf({ rawTx }: KnownTransaction): string[] {
  return parseTx(rawTx).inputs.map(({ txid }) => txid);
}
