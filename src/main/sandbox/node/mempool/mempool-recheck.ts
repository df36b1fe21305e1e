import { formatOutpoint } from '../../../../chain/index.ts';
import { inTurns, pause } from '../../../pause.ts';
import type { Store } from '../../../ports/store.ts';
import type { ChainTip } from '../chainstate/chainstate.ts';
import { COINBASE_MATURITY } from '../consensus/consensus.ts';
import type { ScriptCandidate, ScriptCheck } from '../consensus/script-check.ts';
import { isFinal } from '../consensus/validate.ts';
import { deleteMempool, findUtxos, minedAmong } from '../storage/chain-store.ts';
import { clearMark } from '../storage/side-store.ts';
import type { NodeTables } from '../storage/tables.ts';
import type { NodeUtxo } from '../types.ts';
import type { Mempool } from './mempool.ts';
import type { MempoolEntry } from './mempool-entry.ts';
import { spentBy } from './spent-outputs.ts';

/**
 * Drops the mempool transactions that the current chain does not allow, and their descendants.
 * @param scripts also runs their scripts; given if the next block follows different rules than at their arrival
 * @returns the dropped transactions, parents before children
 */
export async function recheckMempool(
  store: Store<NodeTables>,
  mempool: Mempool,
  tip: ChainTip,
  scripts: ScriptCheck | undefined,
): Promise<MempoolEntry[]> {
  const { db } = store;
  const entries = [...mempool.entries()];
  const txids = entries.map(({ txid }) => txid);
  const mined = await minedAmong(db, txids);
  const outside = entries.flatMap(({ tx }) => tx.inputs.filter(({ txid }) => !mempool.has(txid)));
  const coins = await findUtxos(db, outside.map(formatOutpoint));
  const height = tip.height + 1;
  const refused = scripts === undefined ? undefined : await refusedScripts(entries, mempool, coins, scripts, height);
  const kept = new Set<string>();
  for (const { txid, tx } of entries) {
    await pause();
    const spendable = tx.inputs.every((input) => {
      if (mempool.has(input.txid)) return kept.has(input.txid);
      const coin = coins.get(formatOutpoint(input));
      return coin !== undefined && !(coin.coinbase && height - (coin.height ?? height) < COINBASE_MATURITY);
    });
    const isAllowed = isFinal(tx, height, tip.medianTime) && refused?.has(txid) !== true;
    if (spendable && !mined.has(txid) && isAllowed) kept.add(txid);
  }
  const dropped = entries.filter(({ txid }) => !kept.has(txid));
  const droppedIds = dropped.map(({ txid }) => txid);
  await db.transaction().execute(async (trx) => {
    await deleteMempool(trx, droppedIds);
    await clearMark(trx, 'mempool-unchecked');
    if (scripts !== undefined) await clearMark(trx, 'scripts-unchecked');
  });
  for (const { txid } of dropped) mempool.remove(txid);
  mempool.recount();
  return dropped;
}

/** Txids whose scripts a block of this height does not allow. */
async function refusedScripts(
  entries: readonly MempoolEntry[],
  mempool: Mempool,
  coins: ReadonlyMap<string, NodeUtxo>,
  scripts: ScriptCheck,
  height: number,
): Promise<Set<string>> {
  const candidates: ScriptCandidate[] = [];
  for (const { txid, raw, tx, outpoints } of entries) {
    const spent = await inTurns(
      spentBy({ tx, outpoints }, (outpoint, key) => mempool.output(outpoint) ?? coins.get(key)),
    );
    // a transaction with a missing input is dropped for that reason
    if (spent !== undefined) candidates.push({ txid, raw, tx, spent });
  }
  const allowed = await scripts.mayBeMined(candidates, height);
  return new Set(candidates.filter((_, index) => !allowed[index]).map(({ txid }) => txid));
}
