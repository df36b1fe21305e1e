import type { Failure } from '../../../contract/index.ts';
import type { FeeRate, MinerPolicy } from '../../ports/merchant/merchant.ts';
import type { ItemRow } from '../tables.ts';
import { divide, priced, runLimits, sumsOf } from './plan.ts';
import { policyProblems, withinPolicy } from './policy.ts';

/**
 * What a run of all these items would come to at a miner's rate, whatever state they are in, with a wallet of one coin.
 * @returns transactions, satoshis of fees and tokens together, and what the miner does not take
 */
export function costOf(
  rows: readonly ItemRow[],
  rate: FeeRate,
  policy: MinerPolicy,
): { transactions: number; total: number; problems: Failure[] } {
  const batches = priced(divide(rows, withinPolicy(runLimits, policy)), rate, () => 1);
  const splits = batches.length > 1;
  const planned = batches.map((batch) => batch.planned);
  const { total, transactionCount: transactions } = sumsOf(planned, { splits, inputs: 1, rate });
  return { transactions, total, problems: policyProblems(batches, splits, policy) };
}
