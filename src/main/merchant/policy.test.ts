import { describe, expect, it } from 'vitest';
import { policyOf } from './policy.ts';

describe('the policy of a quote', () => {
  it('is what the miner tells in numbers; anything else sets no limit', () => {
    const policies = {
      maxtxsizepolicy: 100_000,
      limitancestorcount: 25,
      maxscriptsizepolicy: 0,
      maxtxsigopscountspolicy: 'many',
    };
    expect(policyOf({ policies })).toEqual({
      maxTxBytes: 100_000,
      maxScriptBytes: undefined,
      maxSigops: undefined,
      maxAncestors: 25,
    });
    expect(policyOf({ policies: {} }).maxTxBytes).toBeUndefined();
  });
});
