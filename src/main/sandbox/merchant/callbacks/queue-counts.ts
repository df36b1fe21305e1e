import type { Kysely } from 'kysely';
import type { SandboxTables } from '../../tables.ts';

/** Numbers of waiting and abandoned messages in a queue of callbacks. */
export async function queueCounts(
  db: Kysely<SandboxTables>,
  queue: 'mapi_callbacks' | 'arc_callbacks',
): Promise<{ waiting: number; givenUp: number }> {
  const rows = await db
    .selectFrom(queue)
    .select((eb) => ['state', eb.fn.countAll().as('count')])
    .groupBy('state')
    .execute();
  const count = (state: string): number => Number(rows.find((row) => row.state === state)?.count ?? 0);
  return { waiting: count('waiting'), givenUp: count('given-up') };
}
