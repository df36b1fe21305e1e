import type { ArcStatus } from '../arc/statuses.ts';

/** Arcade's names of the statuses that it names differently from ARC. */
const words: Partial<Record<ArcStatus, string>> = {
  QUEUED: 'RECEIVED',
  STORED: 'RECEIVED',
  ANNOUNCED_TO_NETWORK: 'SENT_TO_NETWORK',
  REQUESTED_BY_NETWORK: 'SENT_TO_NETWORK',
  SEEN_IN_ORPHAN_MEMPOOL: 'PENDING_RETRY',
  MINED_IN_STALE_BLOCK: 'SEEN_ON_NETWORK',
};

export function arcadeStatusOf(status: ArcStatus): string {
  return words[status] ?? status;
}
