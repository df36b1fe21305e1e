// Apart from the schemas: the page decides with it as the host does.

/** Bytes that a miner takes at most, where it says so. */
export interface MinerLimits {
  readonly maxTxBytes?: number | undefined;
  readonly maxScriptBytes?: number | undefined;
}

/** A limit of a policy by its name. What is no positive number sets no limit: miners fill this dictionary freely. */
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
 * The longest script that a miner takes, by what it tells. What it does not tell sets no limit.
 * @param around bytes of the transaction beside the script
 */
export function largestScript({ maxTxBytes, maxScriptBytes }: MinerLimits, around = 0): number {
  return Math.min((maxTxBytes ?? Number.POSITIVE_INFINITY) - around, maxScriptBytes ?? Number.POSITIVE_INFINITY);
}
