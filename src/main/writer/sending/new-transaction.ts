import { txidOf } from '../../../chain/index.ts';
import type { WriteQueue } from '../queue/queue.ts';
import type { TransactionRow } from '../storage/document.ts';

/** What differs from one new transaction to the next. */
export interface TransactionParts {
  readonly kind: TransactionRow['kind'];
  readonly source: TransactionRow['source'];
  /** See {@link TransactionRow}. */
  readonly keyId?: string;
  readonly owner?: string;
  readonly state: 'funded' | 'signed';
  readonly rawTx: Uint8Array;
  readonly feeTx?: Uint8Array;
  readonly fee: number;
  readonly documents: number;
}

/** A transaction as it enters the journal: due at once, and nobody's work yet. */
export function newTransaction(queue: WriteQueue, parts: TransactionParts): TransactionRow {
  const now = queue.clock.now();
  return {
    id: queue.newId(),
    network: queue.network,
    kind: parts.kind,
    source: parts.source,
    key_id: parts.keyId ?? null,
    owner: parts.owner ?? null,
    state: parts.state,
    raw_tx: parts.rawTx,
    fee_tx: parts.feeTx ?? null,
    txid: txidOf(parts.rawTx),
    fee: parts.fee,
    documents: parts.documents,
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
