import { type SqlBool, sql } from 'kysely';
import { chunks, type WriteQueue } from './queue.ts';

const MOST_AT_ONCE = 1_000;

/**
 * Takes dead documents up again. One that was never signed is paid for anew; one that was is sent again as it is, since a second
 * transaction could write it twice if the first came to life.
 * @param ids of documents; all where left out
 * @returns how many
 */
export async function replay(queue: WriteQueue, ids: readonly string[] | undefined): Promise<number> {
  const now = queue.clock.now();
  const dead = await queue.db
    .selectFrom('writer_documents')
    .select(['id', 'transaction_id'])
    .where('network', '=', queue.network)
    .where('state', '=', 'dead')
    .where(sql<SqlBool>`state <> 'proven'`)
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(MOST_AT_ONCE)
    .execute();
  const unsigned = dead.filter(({ transaction_id }) => transaction_id === null).map(({ id }) => id);
  const transactions = [...new Set(dead.flatMap(({ transaction_id: id }) => (id === null ? [] : [id])))];
  return queue.db.transaction().execute(async (db) => {
    let count = 0;
    for (const some of chunks(unsigned, 500)) {
      const { numUpdatedRows } = await db
        .updateTable('writer_documents')
        .set({ state: 'accepted', next_attempt_at: now, attempts: 0, dead_code: null, claim: null, updated_at: now })
        .where('id', 'in', some)
        .where('state', '=', 'dead')
        .executeTakeFirst();
      count += Number(numUpdatedRows);
    }
    for (const some of chunks(transactions, 500)) {
      const back = await db
        .updateTable('writer_transactions')
        .set({ state: 'signed', next_attempt_at: now, attempts: 0, claim: null, updated_at: now })
        .where('id', 'in', some)
        .where('state', '=', 'dead')
        .returning('id')
        .execute();
      await queue.moveDocuments(
        db,
        back.map(({ id }) => id),
        'signed',
      );
      const moved = new Set(back.map(({ id }) => id));
      count += dead.filter(({ transaction_id: id }) => id !== null && moved.has(id)).length;
    }
    return count;
  });
}
