import { type MintJob, type MintState, mintStates } from '../../../contract/index.ts';

/** States in which no transaction that could spend anything exists. */
export function isUnsigned(state: MintState): boolean {
  return !mintStates.is(state, 'signed') && !mintStates.is(state, 'final');
}

/** The fields that decide whether a job can still spend anything. */
export type JobSituation = Pick<MintJob, 'state' | 'active' | 'awaitingApproval' | 'failure'>;

/**
 * Whether a job will spend nothing as it stands: it was cancelled or stopped before signing, or its transaction was refused or lost.
 * A refusal or loss is journalled only after the network said that it does not have the transaction.
 */
export function spendsNothing({ state, active, awaitingApproval, failure }: JobSituation): boolean {
  if (state === 'cancelled') return true;
  if (active || awaitingApproval) return false;
  if (isUnsigned(state)) return true;
  return !mintStates.is(state, 'onNetwork') && (failure?.code === 'rejected' || failure?.code === 'not-found');
}

/** What a person may do with a job: see `jobActionsShape` of the contract. */
export function jobActions(
  job: JobSituation & Pick<MintJob, 'review'>,
): Pick<MintJob, 'canApprove' | 'canCancel' | 'canRetry'> {
  return {
    canApprove: job.awaitingApproval && job.review?.ok === true,
    canCancel: isUnsigned(job.state) || (!mintStates.is(job.state, 'final') && spendsNothing(job)),
    canRetry: job.failure !== null && !job.active,
  };
}
