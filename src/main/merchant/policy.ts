import { type MinerQuote, minerLimits, statedLimit } from '../../contract/index.ts';
import type { MinerPolicy } from '../ports/merchant/merchant.ts';

/** The limits of a quote that a transaction is planned by. */
export function policyOf({ policies }: Pick<MinerQuote, 'policies'>): MinerPolicy {
  return {
    ...minerLimits(policies),
    maxSigops: statedLimit(policies, 'maxtxsigopscountspolicy'),
    maxAncestors: statedLimit(policies, 'limitancestorcount'),
  };
}
