import { txidOf } from '../../../chain/index.ts';
import type { WriteQueue } from '../queue/queue.ts';
import type { TransactionRow } from '../storage/document.ts';

/** What differs from one new transaction to the next. Columns that are left out are null. */
export type TransactionParts = Pick<TransactionRow, 'kind' | 'source' | 'raw_tx' | 'fee' | 'documents'> &
  Partial<Pick<TransactionRow, 'key_id' | 'owner' | 'fee_tx'>> & { state: 'funded' | 'signed' };

/** A transaction as it enters the journal: due at once, and nobody's work yet. */
export function newTransaction(queue: WriteQueue, parts: TransactionParts): TransactionRow {
  const now = queue.clock.now();
  return {
    id: queue.newId(),
    network: queue.network,
    key_id: null,
    owner: null,
    fee_tx: null,
    ...parts,
    txid: txidOf(parts.raw_tx),
    attempts: 0,
    next_attempt_at: now,
    claim: null,
    last_error: null,
    funded_at: now,
    signed_at: parts.state === 'signed' ? now : null,
    submitted_at: null,
    seen_at: null,
    mined_at: null,
    proven_at: null,
    block_hash: null,
    block_height: null,
    proof: null,
    replaced_by: null,
    created_at: now,
    updated_at: now,
  };
}
