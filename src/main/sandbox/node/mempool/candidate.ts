import { PlanchetError } from '../../../../contract/index.ts';
import { pause } from '../../../pause.ts';
import type { BlockTransaction } from '../consensus/blocks.ts';
import { STEP_INPUTS } from '../consensus/validate.ts';
import { findUtxos, minedAmong } from '../storage/chain-store.ts';
import type { NodeDb } from '../storage/tables.ts';
import type { NodeUtxo, SubmitOptions } from '../types.ts';
import type { Mempool } from './mempool.ts';

/** A transaction that passed the checks that look at it alone. */
export interface Candidate extends BlockTransaction {
  readonly options: SubmitOptions;
  /** What it spends, as `<txid>_<vout>`. */
  readonly outpoints: readonly string[];
  /** Txids that wanted the same outputs when this one was handed in. */
  readonly rivals: readonly string[];
  /** True for one that waited for its lock time, which has come. */
  readonly promoted?: boolean;
}

/** What the chain says of a batch. */
export interface SpentCoins {
  /** Those of the batch that a block holds already. */
  readonly mined: Set<string>;
  /** Outputs in blocks that it spends, as `<txid>_<vout>`. */
  readonly coins: Map<string, NodeUtxo>;
}

/**
 * Reads what a batch spends that neither it nor the mempool makes.
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
    // what spends an output that is there, or one of a waiting transaction, is in no block
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
    // a parent that comes once more with its child may have been mined since it came first
    const late = candidates.flatMap(({ tx, outpoints }) =>
      mined.size === 0 ? [] : outpoints.filter((_, index) => mined.has(tx.inputs[index]?.txid ?? '')),
    );
    for (const [outpoint, coin] of await findUtxos(db, late)) coins.set(outpoint, coin);
    return { mined, coins };
  } catch (cause) {
    throw new PlanchetError('sandbox.outputs-unreadable', {}, { cause });
  }
}
