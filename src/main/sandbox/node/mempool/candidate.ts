import { PlanchetError } from '../../../../contract/index.ts';
import { pause } from '../../../pause.ts';
import type { BlockTransaction } from '../consensus/blocks.ts';
import { STEP_INPUTS } from '../consensus/validate.ts';
import { findUtxos, minedAmong } from '../storage/chain-store.ts';
import type { NodeDb } from '../storage/tables.ts';
import type { NodeUtxo, SubmitOptions } from '../types.ts';
import type { Mempool } from './mempool.ts';

/** A transaction that passed the context-free checks. */
export interface Candidate extends BlockTransaction {
  readonly options: SubmitOptions;
  /** Spent outpoints as `<txid>_<vout>`. */
  readonly outpoints: readonly string[];
  /** Txids of pending transactions that spent the same outputs at submission. */
  readonly rivals: readonly string[];
  /** True if it comes from the non-final pool because its lock time has passed. */
  readonly promoted?: boolean;
}

/** Confirmed data that a batch needs. */
export interface SpentCoins {
  /** Transactions of the batch that are already mined. */
  readonly mined: Set<string>;
  /** Confirmed outputs that it spends, by `<txid>_<vout>`. */
  readonly coins: Map<string, NodeUtxo>;
}

/**
 * Loads the outputs that a batch spends and that come neither from the batch nor from the mempool.
 * @throws PlanchetError `store-failed`
 */
export async function readSpent(db: NodeDb, candidates: readonly Candidate[], mempool: Mempool): Promise<SpentCoins> {
  const own = new Set(candidates.map(({ txid }) => txid));
  const outside = new Set<string>();
  for (const { tx, outpoints } of candidates) {
    await pause();
    for (const [index, { txid }] of tx.inputs.entries()) {
      if (index % STEP_INPUTS === STEP_INPUTS - 1) await pause();
      if (!own.has(txid) && !mempool.has(txid)) outside.add(outpoints[index] as string);
    }
  }
  try {
    const coins = await findUtxos(db, [...outside]);
    // a transaction that spends an existing output, or one from the mempool, cannot be mined already
    const doubtful: string[] = [];
    for (const { txid, tx, outpoints } of candidates) {
      for (const [index, input] of tx.inputs.entries()) {
        if (index % STEP_INPUTS === STEP_INPUTS - 1) await pause();
        if (coins.has(outpoints[index] as string) || mempool.has(input.txid)) continue;
        doubtful.push(txid);
        break;
      }
    }
    const mined = await minedAmong(db, doubtful);
    // a parent that is resubmitted with its child may have been mined in the meantime
    const late = candidates.flatMap(({ tx, outpoints }) =>
      mined.size === 0 ? [] : outpoints.filter((_, index) => mined.has(tx.inputs[index]?.txid ?? '')),
    );
    for (const [outpoint, coin] of await findUtxos(db, late)) coins.set(outpoint, coin);
    return { mined, coins };
  } catch (cause) {
    throw new PlanchetError('sandbox.outputs-unreadable', {}, { cause });
  }
}
