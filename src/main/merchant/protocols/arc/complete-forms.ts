import { parseTx, serializeBeef, serializeExtended, type Tx, type TxOutput } from '../../../../chain/index.ts';
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
  const parents = await parentsIn(tx, known);
  const spent = spentBy(tx, parents);
  if (spent === undefined) return undefined;
  const ancestors = areMined(parents) ? undefined : await ancestorsOf(rawTx, parents, known);
  return ancestors === undefined
    ? serializeExtended({ tx, spent })
    : serializeBeef([...ancestors, { rawTx, bump: null }]);
}

/** The extended format (BRC-30), for a service that takes no BEEF. @returns undefined if what it spends is not known here */
export async function extendedForm(rawTx: Uint8Array, known: KnownTransactions): Promise<Uint8Array | undefined> {
  const tx = parseTx(rawTx);
  const spent = spentBy(tx, await parentsIn(tx, known));
  return spent && serializeExtended({ tx, spent });
}

/** Ancestors that no block holds, parents first, as far as all of them are known here; else none. */
export async function unminedAncestors(rawTx: Uint8Array, known: KnownTransactions): Promise<Uint8Array[]> {
  const parents = await parentsIn(parseTx(rawTx), known);
  const ancestors = areMined(parents) ? [] : await ancestorsOf(rawTx, parents, known);
  return (ancestors ?? []).flatMap((one) => (one.bump === null ? [one.rawTx] : []));
}

function parentsIn({ inputs }: Tx, known: KnownTransactions): Promise<ReadonlyMap<string, KnownTransaction>> {
  return known.withProofs([...new Set(inputs.map(({ txid }) => txid))]);
}

function areMined(parents: ReadonlyMap<string, KnownTransaction>): boolean {
  return [...parents.values()].every(({ bump }) => bump !== null);
}

function spentBy({ inputs }: Tx, parents: ReadonlyMap<string, KnownTransaction>): TxOutput[] | undefined {
  const spent: TxOutput[] = [];
  const outputs = new Map([...parents].map(([txid, { rawTx }]) => [txid, parseTx(rawTx).outputs]));
  for (const { txid, vout } of inputs) {
    const output = outputs.get(txid)?.[vout];
    if (output === undefined) return undefined;
    spent.push(output);
  }
  return spent;
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
