import { ChainError, type LazyTx, MAX_SATOSHIS, type Outpoint, type Steps, scanTx } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { inTurns } from '../../pause.ts';
import type { ChainData } from '../../ports/chain-data.ts';

/** Inputs beyond which the fee of a transaction is not looked up. */
const MOST_INPUTS = 200;
/** Transactions whose outputs are read for those that are described together; each is read whole. */
const MOST_PARENTS = 100;
/** Parents that are asked for in one call. */
const PARENTS_AT_ONCE = 20;
/** Bytes of parents after which no more are asked for. */
const MOST_BYTES = 32_000_000;
const STEP_OUTPUTS = 512;

/** The outpoint of a coinbase input has this id. */
const NO_TXID = '0'.repeat(64);

/** What a transaction spends and pays. */
export interface Spends {
  readonly spent: readonly Pick<Outpoint, 'txid' | 'vout'>[];
  /** Satoshis of all outputs. */
  readonly value: number;
}

/** What a transaction spends; empty if there is nothing to look up, or too much. */
export function spentBy(tx: LazyTx): Spends['spent'] {
  if (tx.inputCount > MOST_INPUTS) return [];
  const spent = [...tx.inputs()].map(({ txid, vout }) => ({ txid, vout }));
  return spent.some(({ txid }) => txid === NO_TXID) ? [] : spent;
}

/**
 * The fee of each, in satoshis, from the outputs that it spends. Where all together spend more than is looked up, those that come first have theirs.
 * @param node public services are not asked
 * @returns null where it is not known
 * @throws PlanchetError `cancelled`
 */
export async function feesOf(node: ChainData, all: readonly Spends[]): Promise<(number | null)[]> {
  const wanted = new Map<string, Set<number>>();
  for (const { spent } of all) {
    const further = new Set(spent.map(({ txid }) => txid).filter((txid) => !wanted.has(txid)));
    if (wanted.size + further.size > MOST_PARENTS) continue;
    for (const { txid, vout } of spent) wanted.set(txid, (wanted.get(txid) ?? new Set()).add(vout));
  }
  const values = await valuesOf(node, wanted);
  return all.map(({ spent, value }) => {
    let held = 0;
    for (const { txid, vout } of spent) held += values.get(`${txid}_${vout}`) ?? Number.NaN;
    const isPossible = spent.length > 0 && held >= value && held <= MAX_SATOSHIS;
    return isPossible ? held - value : null;
  });
}

/** Satoshis of the outputs that the node knows, by outpoint. */
async function valuesOf(
  node: ChainData,
  wanted: ReadonlyMap<string, ReadonlySet<number>>,
): Promise<ReadonlyMap<string, number>> {
  const values = new Map<string, number>();
  const txids = [...wanted.keys()];
  let bytes = 0;
  for (let at = 0; at < txids.length && bytes < MOST_BYTES; at += PARENTS_AT_ONCE) {
    const read = await node.transactions(txids.slice(at, at + PARENTS_AT_ONCE)).catch(noneIfRefused);
    if (read === undefined) break;
    for (const [txid, raw] of read) {
      bytes += raw.length;
      await inTurns(readValues(txid, raw, wanted.get(txid) ?? new Set(), values)).catch(noneIfNoTransaction);
    }
  }
  return values;
}

function* readValues(
  txid: string,
  raw: Uint8Array,
  wanted: ReadonlySet<number>,
  values: Map<string, number>,
): Steps<void> {
  const tx = yield* scanTx(raw);
  let [vout, left] = [0, wanted.size];
  for (const { satoshis } of tx.outputs()) {
    if (left === 0) return;
    if (wanted.has(vout)) {
      values.set(`${txid}_${vout}`, satoshis);
      left -= 1;
    }
    vout += 1;
    if (vout % STEP_OUTPUTS === 0) yield '';
  }
}

/** The other figures are shown without the fee. */
function noneIfRefused(error: unknown): undefined {
  if (!(error instanceof PlanchetError) || error.code === 'cancelled') throw error;
}

/** A node that lies may send anything as a transaction. */
export function noneIfNoTransaction(error: unknown): undefined {
  if (!(error instanceof ChainError)) throw error;
}
