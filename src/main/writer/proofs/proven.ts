import { sql } from 'kysely';
import { chunks } from '../../chunks.ts';
import { reinstate } from '../dead-letters/retry.ts';
import type { RetryJudgeOptions } from '../dead-letters/retry-judge.ts';
import type { WriteQueue } from '../queue/queue.ts';
import { idsOf, type TransactionRow } from '../storage/document.ts';
import { among, rowsOf } from '../storage/sql-lists.ts';

/** Transactions journalled in one piece: a few milliseconds' work. */
const AT_ONCE = 50;
/** Transactions of a block whose coins are looked up at once: few of them are ours. */
const LOOKED_UP_AT_ONCE = 500;

/** A transaction of ours in a block, with its checked proof (JSON). */
export interface Proven {
  readonly row: TransactionRow;
  readonly proof: string;
}

/** Journals that a block holds these transactions, with their proofs. */
export async function journalProven(
  sources: RetryJudgeOptions,
  proven: readonly Proven[],
  { height, hash }: { height: number; hash: string },
): Promise<void> {
  const { queue } = sources;
  const now = queue.clock.now();
  // A block holds it whatever the miner said: also what was refused, or is still to be sent, is then settled.
  for (const { row } of proven) if (row.replaced_by !== null) await reinstate(sources, row);
  const unsettled = proven.map(({ row }) => row).filter(({ state }) => state === 'signed' || state === 'dead');
  if (unsettled.length > 0) await settleMined(queue, unsettled);
  for (const some of chunks(proven, queue.scheduler.batchSize(AT_ONCE))) {
    await queue.scheduler.next();
    await queue.relaxed(async (db) => {
      const proofs = some.map(({ row, proof }) => [row.id, proof]);
      const found = rowsOf(queue.dialect, proofs);
      await sql`update writer_transactions set state = 'proven', mined_at = ${now}, proven_at = ${now},
        block_hash = ${hash}, block_height = ${height}, proof = found.value ->> 1, updated_at = ${now}, claim = null,
        seen_at = coalesce(seen_at, ${now}), last_error = null
        from ${found} as found where writer_transactions.id = found.value ->> 0`.execute(db);
      const ids = some.map(({ row }) => row.id);
      await queue.moveDocuments(db, ids, 'proven');
    });
  }
}

async function settleMined(queue: WriteQueue, rows: readonly TransactionRow[]): Promise<void> {
  const claim = `chain:${queue.newId()}`;
  await queue.db
    .updateTable('writer_transactions')
    .set({ state: 'signed', claim })
    .where(among(queue.dialect, 'id', idsOf(rows)))
    .where('state', 'in', ['signed', 'dead'])
    .execute();
  for (const some of chunks(rows, AT_ONCE)) await queue.taken(some.map((row) => ({ ...row, claim })));
}

/** Coins of transactions in a block stand on nothing unconfirmed. */
export async function comeNearer(queue: WriteQueue, txids: readonly string[]): Promise<void> {
  for (const some of chunks(txids, LOOKED_UP_AT_ONCE)) {
    await queue.scheduler.next();
    await queue.db
      .updateTable('writer_coins')
      .set({ depth: 0 })
      .where('network', '=', queue.network)
      .where(among(queue.dialect, 'txid', some))
      .where('depth', '>', 0)
      .execute();
  }
}
