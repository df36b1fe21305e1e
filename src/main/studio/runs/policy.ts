import { type Failure, largestScript, PlanchetError, type RunPlan } from '../../../contract/index.ts';
import type { MinerPolicy } from '../../ports/merchant/merchant.ts';
import { metadataOf } from '../projects/item-rows.ts';
import { type Batch, type RunLimits, splitSize } from './plan.ts';

/** Signature operations of a mint besides those of its tokens: one for the change. */
const CHANGE_SIGOPS = 1;

/** The tighter of two bounds. A miner that names none sets none. */
export function withinPolicy(limits: RunLimits, { maxTxBytes, maxSigops }: MinerPolicy): RunLimits {
  const maxTokens = Math.max(1, Math.min(limits.maxTokens, (maxSigops ?? Number.POSITIVE_INFINITY) - CHANGE_SIGOPS));
  const bytes = Math.min(limits.maxTxBytes ?? Number.POSITIVE_INFINITY, maxTxBytes ?? Number.POSITIVE_INFINITY);
  return {
    ...limits,
    maxTokens,
    minTokens: Math.min(limits.minTokens, maxTokens),
    ...(Number.isFinite(bytes) ? { maxTxBytes: bytes } : {}),
  };
}

/**
 * The conflicts of a plan with a miner's policy that no other division would resolve. The limit of unconfirmed ancestors is never one: a mint has
 * one ancestor in its run, the split, since an item does not spend its collection token.
 * @param others of the miners after the first: a token too large for that one goes to one of them
 */
export function policyProblems(
  batches: readonly Batch[],
  splits: boolean,
  policy: MinerPolicy,
  others: readonly MinerPolicy[] = [],
): Failure[] {
  const { maxTxBytes, maxSigops } = policy;
  const problems: PlanchetError[] = [];
  // the transaction of one token is little more than its script
  const limit = Math.max(...[policy, ...others].map((one) => largestScript(one)));
  for (const { planned, rows } of batches) {
    const [row] = rows;
    if (rows.length !== 1 || row === undefined || planned.size <= limit) continue;
    problems.push(
      new PlanchetError('run.token-over-policy', { name: metadataOf(row).name, size: planned.size, limit }),
    );
    break;
  }
  if (splits) {
    const coins = batches.length;
    const isTooLarge = maxTxBytes !== undefined && splitSize(1, coins) > maxTxBytes;
    const isTooMany = maxSigops !== undefined && coins + CHANGE_SIGOPS > maxSigops;
    if (isTooLarge || isTooMany) problems.push(new PlanchetError('run.split-over-policy', { coins }));
  }
  return problems.map((problem) => problem.toFailure());
}

/** A policy as a plan carries it. */
export function shownPolicy({ maxTxBytes, maxSigops, maxAncestors }: MinerPolicy): RunPlan['policy'] {
  return { maxTxBytes: maxTxBytes ?? null, maxSigops: maxSigops ?? null, maxAncestors: maxAncestors ?? null };
}
