import type { Merchant } from '../../ports/merchant/merchant.ts';
import { minerTerms, takes } from '../../transaction-jobs/miner-limits.ts';
import { WriteError, writeCodes } from '../write-errors.ts';

/** Of a script and a transaction around a document: its opcodes, one input and the change. */
const AROUND_BYTES = 1_000;

/** Refuses a document before anything is signed for it. @throws WriteError where no miner in use takes one so long */
export async function refuseOverPolicy(merchant: Pick<Merchant, 'terms'>, body: Uint8Array): Promise<void> {
  const terms = await minerTerms(merchant);
  const extent = { bytes: body.length + AROUND_BYTES, longestScript: body.length };
  if (terms.length === 0 || terms.some((one) => takes(one, extent))) return;
  const limits = terms.map(
    ({ name, policy: { maxTxBytes = Number.POSITIVE_INFINITY, maxScriptBytes = maxTxBytes } }) => ({
      name,
      limit: Math.min(maxTxBytes - AROUND_BYTES, maxScriptBytes),
    }),
  );
  const widest = limits.reduce((best, next) => (next.limit > best.limit ? next : best));
  throw new WriteError(writeCodes.body, 'write-api.document-over-policy', {
    bytes: body.length,
    miner: widest.name,
    limit: widest.limit,
  });
}
