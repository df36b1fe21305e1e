import type { WalletSend } from '../../../contract/index.ts';
import { StateBadge } from './values.tsx';

type Job = Pick<WalletSend, 'state' | 'failure' | 'active' | 'awaitingApproval'>;

/** The state of a payment or of a transaction of tokens. A mined one has not failed, whatever failure was recorded before. */
export function JobBadge({ job: { state, failure, active, awaitingApproval } }: { job: Job }) {
  const failed = failure !== null && !active && state !== 'mined';
  return <StateBadge state={state} failed={failed} awaiting={awaitingApproval} active={active} />;
}
