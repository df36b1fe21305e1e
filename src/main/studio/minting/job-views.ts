import {
  type Art,
  type Failure,
  type MintJob,
  type MintJobSummary,
  type MintState,
  mintStates,
  type Review,
} from '../../../contract/index.ts';
import type { JobRow } from '../tables.ts';
import { jobActions } from './job-states.ts';

/** Whether a job waits for a person's approval. */
export function awaitsApproval(row: JobRow): boolean {
  return row.state === 'reviewed' && row.approved_digest === null && row.halted === 0;
}

/** A job without what grows with its transaction. */
export function summaryOf({ itemIds, review, proof, ...summary }: MintJob): MintJobSummary {
  return { ...summary, tokenCount: itemIds.length };
}

export function toJob(row: JobRow, itemIds: string[], history: MintJob['history'], art: Art[] = []): MintJob {
  const state = row.state as MintState;
  const awaitingApproval = awaitsApproval(row);
  const situation = {
    state,
    awaitingApproval,
    active: row.halted === 0 && !awaitingApproval && !mintStates.is(state, 'final'),
    failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
    review: row.review === null ? null : (JSON.parse(row.review) as Review),
  };
  return {
    ...situation,
    ...jobActions(situation),
    id: row.id,
    projectUid: row.project_uid,
    itemIds,
    art,
    destination: row.destination,
    direct: row.direct === 1,
    retryAt: null,
    txid: row.txid,
    blockHash: row.block_hash,
    blockHeight: row.block_height,
    fee: row.fee === null ? null : Number(row.fee),
    proof: row.proof === null ? null : (JSON.parse(row.proof) as MintJob['proof']),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    history,
  };
}
