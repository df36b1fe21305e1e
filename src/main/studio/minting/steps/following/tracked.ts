import type { TrackedTransaction } from '../../../../../contract/index.ts';
import type { JobRow } from '../../../tables.ts';
import type { StepContext } from '../step-context.ts';

/** A job's transaction as the tracker has it; undefined if the tracker did not follow it until this call. */
export async function trackedOf(
  { tracker, journal }: Pick<StepContext, 'tracker' | 'journal'>,
  { id, txid }: Pick<JobRow, 'id' | 'txid'>,
): Promise<TrackedTransaction | undefined> {
  const found = await tracker.get(txid as string);
  if (found === undefined) await tracker.track([{ rawTx: await journal.transactions.signed(id), origin: 'mint' }]);
  return found;
}
