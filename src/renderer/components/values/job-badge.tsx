import type { TFunction } from 'i18next';
import type { WalletSend } from '../../../contract/index.ts';
import { StateBadge, stateText } from './values.tsx';

type Job = Pick<WalletSend, 'state' | 'failure' | 'active' | 'awaitingApproval'>;

/** A mined one has not failed, whatever failure was recorded before. */
function stateOf({ state, failure, active, awaitingApproval }: Job) {
  return { state, failed: failure !== null && !active && state !== 'mined', awaiting: awaitingApproval, active };
}

/** The words of a {@link JobBadge}. */
export function jobText(t: TFunction, job: Job): string {
  return stateText(t, stateOf(job));
}

/** The state of a payment or of a transaction of tokens. */
export function JobBadge({ job }: { job: Job }) {
  return <StateBadge {...stateOf(job)} />;
}
