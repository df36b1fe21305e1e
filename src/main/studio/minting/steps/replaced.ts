import type { Outpoint } from '../../../../chain/index.ts';
import { PlanchetError, type ReviewCheck, transactionStates } from '../../../../contract/index.ts';
import { replacementCheck } from '../../../transaction-jobs/replacement-check.ts';
import type { JobRow } from '../../tables.ts';
import { isOnNetwork } from './network.ts';
import type { StepContext } from './step-context.ts';

/** The name under which a run holds the coins that it divides. */
export function ownerOfRun(runId: string): string {
  return `run:${runId}`;
}

/** Owners of the coins of earlier transactions of these jobs' items: the jobs themselves, cancelled mints, and the runs of these. */
export async function replacedOwners(
  { journal }: Pick<StepContext, 'journal'>,
  jobIds: readonly string[],
): Promise<string[]> {
  const owners = new Set(jobIds);
  for (const { id, runId } of await journal.cancelledOf(jobIds)) {
    owners.add(id);
    if (runId !== null) owners.add(ownerOfRun(runId));
  }
  return [...owners];
}

/**
 * A cancelled mint may be mined after all: its items must not be minted a second time.
 * @throws PlanchetError `conflict` where the network has one of these
 */
export async function refuseMinted(ctx: StepContext, { id }: Pick<JobRow, 'id'>): Promise<void> {
  for (const { txid } of await ctx.journal.cancelledOf([id])) {
    if (txid === null) continue;
    const tracked = await ctx.tracker.get(txid);
    const isThere = tracked !== undefined && transactionStates.is(tracked.state, 'onNetwork');
    if (isThere || (await isOnNetwork(ctx, txid))) throw new PlanchetError('mint.minted-after-all', { txid });
  }
}

/** Whether a transaction of the job can be mined beside an earlier one of its items; nothing where there is none. */
export async function replacementChecks(
  ctx: StepContext,
  { id }: Pick<JobRow, 'id'>,
  inputs: readonly Outpoint[],
): Promise<ReviewCheck[]> {
  return replacementCheck(ctx.wallet, await replacedOwners(ctx, [id]), inputs);
}
