/** Statuses of ARC, in order of progress (its OpenAPI document). */
export const arcStatuses = [
  'UNKNOWN',
  'QUEUED',
  'RECEIVED',
  'STORED',
  'ANNOUNCED_TO_NETWORK',
  'REQUESTED_BY_NETWORK',
  'SENT_TO_NETWORK',
  'ACCEPTED_BY_NETWORK',
  'SEEN_IN_ORPHAN_MEMPOOL',
  'SEEN_ON_NETWORK',
  'DOUBLE_SPEND_ATTEMPTED',
  'REJECTED',
  'MINED_IN_STALE_BLOCK',
  'MINED',
] as const;
export type ArcStatus = (typeof arcStatuses)[number];

/** A transaction that was submitted over ARC. */
export interface ArcTransaction {
  readonly txid: string;
  readonly status: ArcStatus;
  readonly extraInfo: string;
  /** Transactions that spend the same outputs. */
  readonly competing: readonly string[];
  /** Empty unless mined. */
  readonly blockHash: string;
  readonly blockHeight: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly changedAt: number;
}

/** Whether a status is the wanted one or a later one. A rejection ends every wait. */
export function hasReached(status: ArcStatus, wanted: ArcStatus): boolean {
  return status === 'REJECTED' || arcStatuses.indexOf(status) >= arcStatuses.indexOf(wanted);
}
