import type { Transaction } from 'kysely';
import type { NewTransaction, WriteQueue } from '../queue/queue.ts';
import type { TransactionRow } from '../storage/document.ts';
import type { WriterTables } from '../storage/tables.ts';

/**
 * Journals a transaction in place of one that was given up; one with the same bytes is that one again.
 * @returns false where the old one is no longer given up, or was replaced already: nothing is journalled then
 * @param cap fees of a day, in satoshis
 * @throws PlanchetError `fee-too-high` where today's fees are over it with this one's: the database transaction must not be completed then
 */
export async function journalReplacement(
  queue: WriteQueue,
  db: Transaction<WriterTables>,
  old: TransactionRow,
  added: NewTransaction,
  cap: number,
): Promise<boolean> {
  if (added.row.txid === old.txid) return journalAgain(queue, db, old);
  const { numUpdatedRows } = await db
    .updateTable('writer_transactions')
    .set({ replaced_by: added.row.id, updated_at: queue.clock.now() })
    .where('id', '=', old.id)
    .where('state', '=', 'dead')
    .where('replaced_by', 'is', null)
    .executeTakeFirst();
  if (Number(numUpdatedRows) !== 1) return false;
  await db.updateTable('writer_coins').set({ held_by: added.row.id }).where('held_by', '=', old.id).execute();
  await queue.insertTransactions(db, [added], cap);
  return true;
}

/** A transaction that was given up is sent again as it is. @returns false where it is no longer given up */
export async function journalAgain(
  queue: WriteQueue,
  db: Transaction<WriterTables>,
  row: TransactionRow,
): Promise<boolean> {
  const now = queue.clock.now();
  const { numUpdatedRows } = await db
    .updateTable('writer_transactions')
    .set({ state: 'signed', next_attempt_at: now, attempts: 0, claim: null, updated_at: now })
    .where('id', '=', row.id)
    .where('state', '=', 'dead')
    .where('replaced_by', 'is', null)
    .executeTakeFirst();
  if (Number(numUpdatedRows) !== 1) return false;
  await queue.moveDocuments(db, [row.id], 'signed');
  return true;
}
