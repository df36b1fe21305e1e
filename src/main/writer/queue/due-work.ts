import { type SqlBool, sql } from 'kysely';
import { withoutKeyOr } from './lists.ts';
import type { WriteQueue } from './queue.ts';

const open = {
  documents: { table: 'writer_documents', states: ['accepted'] },
  transactions: { table: 'writer_transactions', states: ['funded', 'signed'] },
} as const;
type Kind = keyof typeof open;

/**
 * When the next accepted document or open transaction is due.
 * @param keyIds leaves out what is written under other API keys; nothing where left out
 * @returns milliseconds since 1970, undefined where none waits
 */
export async function nextDueAt(
  queue: WriteQueue,
  kind: Kind,
  keyIds?: readonly string[],
): Promise<number | undefined> {
  const { table, states } = open[kind];
  const times = await Promise.all(
    states.map((state) =>
      queue.db
        .selectFrom(table)
        .select('next_attempt_at')
        .where('network', '=', queue.network)
        .where('state', '=', state as never)
        .where(sql<SqlBool>`state <> 'proven'`)
        .$if(keyIds !== undefined, (query) => query.where(withoutKeyOr(queue.dialect, keyIds ?? [])))
        .orderBy('next_attempt_at')
        .limit(1)
        .executeTakeFirst(),
    ),
  );
  const known = times.flatMap((row) => (row === undefined ? [] : [row.next_attempt_at]));
  return known.length === 0 ? undefined : Math.min(...known);
}

/**
 * Whether work under other API keys than these has been due for so long without anybody taking it.
 * @param forMs milliseconds
 */
export async function isAnyLeft(queue: WriteQueue, keyIds: readonly string[], forMs: number): Promise<boolean> {
  for (const { table, states } of Object.values(open)) {
    const row = await queue.db
      .selectFrom(table)
      .select('id')
      .where('network', '=', queue.network)
      .where('state', 'in', states as never)
      .where(sql<SqlBool>`state <> 'proven'`)
      .where('next_attempt_at', '<=', queue.clock.now() - forMs)
      .where(sql<SqlBool>`not ${withoutKeyOr(queue.dialect, keyIds)}`)
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}
