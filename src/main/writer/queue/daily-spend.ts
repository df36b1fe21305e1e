import type { Transaction } from 'kysely';
import type { WriterTables } from '../storage/tables.ts';

/**
 * Counts fees for a day.
 * @returns the fees of that day with these. Another process that counts at the same time is waited for, so this is what it counted too
 */
export async function addSpend(db: Transaction<WriterTables>, spend: WriterTables['writer_spend']): Promise<number> {
  const { satoshis } = await db
    .insertInto('writer_spend')
    .values(spend)
    .onConflict((conflict) =>
      conflict
        .columns(['network', 'day'])
        .doUpdateSet((eb) => ({ satoshis: eb('writer_spend.satoshis', '+', eb.ref('excluded.satoshis')) })),
    )
    .returning('satoshis')
    .executeTakeFirstOrThrow();
  return satoshis;
}
