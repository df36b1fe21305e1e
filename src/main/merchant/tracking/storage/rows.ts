import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { type Phrase, phrase, type TrackedTransaction, type TransactionReason } from '../../../../contract/index.ts';
import type { TransactionRow } from './tables.ts';

/** A row as it is read. The bytes of its transaction, which may be many, have a table of their own. */
export type LightRow = Selectable<TransactionRow>;

/** `txid in (txids)` with the ids as one parameter, so that the statement is prepared once for any number of them. */
export function among(txids: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`txid in (select value from json_each(${JSON.stringify(txids)}))`;
}

/** What a history says of a transaction that was kept back. */
export function keptBackSentence(reason: TransactionReason): Phrase {
  return phrase('event.kept-back', { why: reason.sentence ?? reason.text });
}

/** @param tip height of the tip; null while it is not known */
export function viewOf(row: LightRow, tip: number | null): TrackedTransaction {
  const { block_hash: hash, block_height: height } = row;
  const isPlaced = hash !== null && height !== null && row.state !== 'double-spent';
  const block = isPlaced ? { hash, height } : null;
  const reason = row.reason === null ? null : (JSON.parse(row.reason) as TransactionReason);
  const isSentAgain = (row.state === 'queued' || row.state === 'evicted') && reason?.retriedByItself === true;
  return {
    txid: row.txid,
    state: row.state,
    origin: row.origin,
    label: row.label,
    bytes: row.bytes,
    fee: row.fee === null ? null : Number(row.fee),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    block,
    confirmations: block === null || tip === null ? 0 : Math.max(1, tip - block.height + 1),
    reason,
    ...(isSentAgain && row.due_at !== null && { nextAttemptAt: Number(row.due_at) }),
    doubleSpentBy: row.double_spent_by,
    answers: JSON.parse(row.answers),
  };
}
