import { largestScript, PlanchetError } from '../../../contract/index.ts';
import type { Merchant, MinerTerms } from '../../ports/merchant/merchant.ts';
import { minerTerms } from '../../transaction-jobs/miner-limits.ts';
import { WriteError, writeCodes } from '../write-errors.ts';

/** Of a script and a transaction around a document: its opcodes, one input and the change. */
const AROUND_BYTES = 1_000;

/** Refuses a document before anything is signed for it. @throws WriteError where no miner in use takes one so long */
export async function refuseOverPolicy(merchant: Pick<Merchant, 'terms'>, body: Uint8Array): Promise<void> {
  const terms = await minerTerms(merchant);
  const limits = terms.map(({ name, policy }) => ({ miner: name, limit: largestScript(policy, AROUND_BYTES) }));
  const [widest] = limits.sort((one, other) => other.limit - one.limit);
  if (widest === undefined || body.length <= widest.limit) return;
  throw new WriteError(writeCodes.body, 'write-api.document-over-policy', { bytes: body.length, ...widest });
}

/**
 * Why no miner in use takes these scripts in one transaction: its limits may have changed since the documents were accepted, and several may be too
 * long together.
 * @returns undefined where one takes them, or none tells its limits
 */
export function overPolicy(terms: readonly MinerTerms[], scripts: readonly Uint8Array[]): PlanchetError | undefined {
  const longest = Math.max(...scripts.map(({ length }) => length));
  const others = scripts.reduce((sum, { length }) => sum + length, -longest);
  const limits = terms.map(({ name, policy }) => ({
    miner: name,
    limit: largestScript(policy, AROUND_BYTES + others),
  }));
  const [widest] = limits.sort((one, other) => other.limit - one.limit);
  if (widest === undefined || longest <= widest.limit) return undefined;
  return new PlanchetError('write-api.document-over-policy', { bytes: longest, ...widest });
}
