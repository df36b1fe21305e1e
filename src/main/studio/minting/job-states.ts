import type { MintJob, MintState } from '../../../contract/index.ts';

/** States in which nothing that can be spent has left this program. */
export const unsignedStates: readonly MintState[] = ['draft', 'uploaded', 'built', 'reviewed'];
/** States that wait for the chain. */
export const followedStates: readonly MintState[] = ['submitted', 'seen', 'mined'];

/**
 * Whether a job will spend nothing as it stands: it was cancelled or stopped before signing, or its transaction was refused or lost
 * (which is only journalled where the network does not know it).
 */
export function givesCoinsFree({ state, active, awaitingApproval, failure }: MintJob): boolean {
  if (state === 'cancelled') return true;
  if (active || awaitingApproval) return false;
  return (
    unsignedStates.includes(state) ||
    (['signed', 'submitted'].includes(state) && ['rejected', 'not-found'].includes(failure?.code ?? ''))
  );
}
