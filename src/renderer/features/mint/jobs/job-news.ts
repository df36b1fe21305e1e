import type { MintJob } from '../../../../contract/index.ts';

export type JobNews = 'minted' | 'failed' | 'waiting';

type Seen = Pick<MintJob, 'state' | 'failure' | 'active' | 'awaitingApproval'>;

/** The change in a job that deserves a notification; null for the small steps in between. */
export function newsOf(before: Seen | undefined, after: Seen): JobNews | null {
  if (before === undefined) return null;
  if (after.state === 'proven') return before.state === 'proven' ? null : 'minted';
  const stopped = (job: Seen): boolean => job.failure !== null && !job.active;
  if (stopped(after)) return stopped(before) ? null : 'failed';
  return after.awaitingApproval && !before.awaitingApproval ? 'waiting' : null;
}
