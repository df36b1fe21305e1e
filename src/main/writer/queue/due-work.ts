import { type SqlBool, sql } from 'kysely';
import { withoutKeyOr } from '../storage/sql-lists.ts';
import type { WriteQueue } from './queue.ts';

const open = { accepted: 'writer_documents', funded: 'writer_transactions', signed: 'writer_transactions' } as const;
type OpenState = keyof typeof open;

/**
 * When the next accepted document, or the next transaction to be signed or sent, is due.
 * @param keyIds leaves out what is written under other API keys; nothing where left out
 * @returns milliseconds since 1970, undefined where none waits
 */
export async function nextDueAt(
  queue: WriteQueue,
  state: OpenState,
  keyIds?: readonly string[],
): Promise<number | undefined> {
  const row = await queue.db
    .selectFrom(open[state])
    .select('next_attempt_at')
    .where('network', '=', queue.network)
    .where('state', '=', state as never)
    .where(sql<SqlBool>`state <> 'proven'`)
    .$if(keyIds !== undefined, (query) => query.where(withoutKeyOr(queue.dialect, keyIds ?? [])))
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at;
}

/**
 * Whether work under other API keys than these has been due for so long without anybody taking it.
 * @param forMs milliseconds
 */
export async function isAnyLeft(queue: WriteQueue, keyIds: readonly string[], forMs: number): Promise<boolean> {
  for (const [state, table] of Object.entries(open)) {
    const row = await queue.db
      .selectFrom(table)
      .select('id')
      .where('network', '=', queue.network)
      .where('state', '=', state as never)
      .where(sql<SqlBool>`state <> 'proven'`)
      .where('next_attempt_at', '<=', queue.clock.now() - forMs)
      .where(sql<SqlBool>`not ${withoutKeyOr(queue.dialect, keyIds)}`)
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}
