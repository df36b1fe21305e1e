// Separate from the schemas, since the page applies these limits like the host.

/** Size limits of a miner in bytes, if it states them. */
export interface MinerLimits {
  readonly maxTxBytes?: number | undefined;
  readonly maxScriptBytes?: number | undefined;
}

/** A limit of a policy by its name. A value that is not a positive number sets no limit: miners use this dictionary freely. */
export function statedLimit(policies: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = policies[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

export function minerLimits(policies: Readonly<Record<string, unknown>>): MinerLimits {
  return {
    maxTxBytes: statedLimit(policies, 'maxtxsizepolicy'),
    maxScriptBytes: statedLimit(policies, 'maxscriptsizepolicy'),
  };
}

/**
 * The longest script that a miner accepts according to its policy. Missing values set no limit.
 * @param around bytes of the transaction without the script
 */
export function largestScript({ maxTxBytes, maxScriptBytes }: MinerLimits, around = 0): number {
  return Math.min((maxTxBytes ?? Number.POSITIVE_INFINITY) - around, maxScriptBytes ?? Number.POSITIVE_INFINITY);
}
