import { largestScript, PlanchetError } from '../../../contract/index.ts';
import type { Merchant, MinerTerms } from '../../ports/merchant/merchant.ts';
import { minerTerms } from '../../transaction-jobs/miner-limits.ts';
import { WriteError, writeCodes } from '../write-errors.ts';

/** Bytes of the script and the transaction around a document: opcodes, one input and the change. */
const AROUND_BYTES = 1_000;
const OVER_POLICY = 'write-api.document-over-policy';

/** Refuses a document before anything is signed for it. @throws WriteError where no miner in use takes one so long */
export async function refuseOverPolicy(merchant: Pick<Merchant, 'terms'>, body: Uint8Array): Promise<void> {
  const excess = excessOf(await minerTerms(merchant), [body]);
  if (excess !== undefined) throw new WriteError(writeCodes.body, OVER_POLICY, excess);
}

/**
 * Why no miner in use takes these scripts in one transaction: its limits may have changed since the documents were accepted, and several may be too
 * long together.
 * @returns undefined where one takes them, or none tells its limits
 */
export function overPolicy(terms: readonly MinerTerms[], scripts: readonly Uint8Array[]): PlanchetError | undefined {
  const excess = excessOf(terms, scripts);
  return excess && new PlanchetError(OVER_POLICY, excess);
}

/** The longest script, and the miner that takes the longest; undefined where it is short enough. */
function excessOf(terms: readonly MinerTerms[], scripts: readonly Uint8Array[]) {
  const longest = Math.max(...scripts.map(({ length }) => length));
  const others = scripts.reduce((sum, { length }) => sum + length, -longest);
  const limits = terms.map(({ name, policy }) => ({
    miner: name,
    limit: largestScript(policy, AROUND_BYTES + others),
  }));
  const [widest] = limits.sort((one, other) => other.limit - one.limit);
  return widest === undefined || longest <= widest.limit ? undefined : { bytes: longest, ...widest };
}
