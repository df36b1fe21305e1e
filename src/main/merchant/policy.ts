import type { MinerQuote } from '../../contract/index.ts';
import type { MinerPolicy } from '../ports/merchant/merchant.ts';

/** The limits of a quote that a transaction is planned by. What is no positive number sets no limit: miners fill this dictionary freely. */
export function policyOf({ policies }: Pick<MinerQuote, 'policies'>): MinerPolicy {
  const limit = (name: string): number | undefined => {
    const value = policies[name];
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
  };
  return {
    maxTxBytes: limit('maxtxsizepolicy'),
    maxScriptBytes: limit('maxscriptsizepolicy'),
    maxSigops: limit('maxtxsigopscountspolicy'),
    maxAncestors: limit('limitancestorcount'),
  };
}
