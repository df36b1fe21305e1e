import { type SqlBool, sql } from 'kysely';
import { writerStates } from '../../../contract/index.ts';
import type { WriterTables, WriteState } from '../storage/tables.ts';
import type { WriteQueue } from './queue.ts';

const ON_THE_WAY: readonly WriteState[] = writerStates.names.filter(
  (state) => !writerStates.is(state, 'mined') && !writerStates.is(state, 'final'),
);

/** How many documents stand in each state but `proven`. The limiter asks for it again and again. */
export async function openCounts(queue: WriteQueue): Promise<Partial<Record<WriteState, number>>> {
  if (queue.dialect === 'sqlite') {
    const counts = await countsOf(queue);
    return Object.fromEntries(
      counts.flatMap(({ state, documents }) => (state === 'proven' ? [] : [[state, documents]])),
    );
  }
  const rows = await queue.db
    .selectFrom('writer_documents')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .where('network', '=', queue.network)
    .where(sql<SqlBool>`state <> 'proven'`)
    .groupBy('state')
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}

/** Everything that was ever accepted. */
export async function totalsOf(queue: WriteQueue): Promise<{ documents: number; bytes: number }> {
  if (queue.dialect === 'sqlite') {
    const counts = await countsOf(queue);
    const sum = (of: 'documents' | 'bytes'): number => counts.reduce((total, row) => total + row[of], 0);
    return { documents: sum('documents'), bytes: sum('bytes') };
  }
  const row = await queue.db
    .selectFrom('writer_usage')
    .select((eb) => [eb.fn.sum<number>('documents').as('documents'), eb.fn.sum<number>('bytes').as('bytes')])
    .where('network', '=', queue.network)
    .executeTakeFirst();
  return { documents: Number(row?.documents ?? 0), bytes: Number(row?.bytes ?? 0) };
}

/** When the oldest document that is not on the chain was accepted (ms). */
export async function oldestOpen({ db, network }: WriteQueue): Promise<number | undefined> {
  const rows = await Promise.all(
    ON_THE_WAY.map((state) =>
      db
        .selectFrom('writer_documents')
        .select('created_at')
        .where('network', '=', network)
        .where('state', '=', state)
        .where(sql<SqlBool>`state <> 'proven'`)
        .orderBy('next_attempt_at')
        .limit(1)
        .executeTakeFirst(),
    ),
  );
  const times = rows.flatMap((row) => (row === undefined ? [] : [row.created_at]));
  return times.length === 0 ? undefined : Math.min(...times);
}

function countsOf({ db, network }: WriteQueue): Promise<WriterTables['writer_counts'][]> {
  return db.selectFrom('writer_counts').selectAll().where('network', '=', network).execute();
}
